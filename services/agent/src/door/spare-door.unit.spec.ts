import { DoorRefused, DoorUnreachable, type Door } from './door.port';
import { withSpareDoor } from './spare-door';

const never = new AbortController().signal;
const doorThat = (answer: () => Promise<never> | { agentVersion: string }): Door => ({
  register: async () => answer(),
  nextSteps: () => Promise.reject(new Error('not asked')),
  reply: () => Promise.reject(new Error('not asked')),
  listen: () => () => undefined,
  close: async () => undefined,
});
const register = (door: Door) =>
  door.register('v', { baseboardSerial: '', systemUuid: '', systemSerial: '', macAddresses: [], bootId: '' }, never);
const spare = doorThat(() => ({ agentVersion: 'through the spare door' }));

describe('a spare door', () => {
  it('is taken when nobody answers at the first', async () => {
    const first = doorThat(() => Promise.reject(new DoorUnreachable('silence')));
    expect(await register(withSpareDoor(first, spare))).toEqual({ agentVersion: 'through the spare door' });
  });

  it('is not taken after a refusal: that is an answer', async () => {
    const first = doorThat(() => Promise.reject(new DoorRefused(409, 'no')));
    await expect(register(withSpareDoor(first, spare))).rejects.toThrow(DoorRefused);
  });
});
