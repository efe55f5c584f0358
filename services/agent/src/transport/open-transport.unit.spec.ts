import { withFallback } from './open-transport';
import { type Transport, TransportRefused, TransportUnreachable } from './transport.port';

const never = new AbortController().signal;
const transportThat = (answer: () => Promise<never> | { agentVersion: string }): Transport => ({
  register: async () => answer(),
  nextSteps: () => Promise.reject(new Error('not asked')),
  reply: () => Promise.reject(new Error('not asked')),
  listen: () => () => undefined,
  close: async () => undefined,
});
const register = (transport: Transport) =>
  transport.register(
    'v',
    { baseboardSerial: '', systemUuid: '', systemSerial: '', macAddresses: [], bootId: '' },
    never,
  );
const spare = transportThat(() => ({ agentVersion: 'through the spare transport' }));

describe('a fallback transport', () => {
  it('is used when the first transport does not answer', async () => {
    const first = transportThat(() => Promise.reject(new TransportUnreachable('silence')));
    expect(await register(withFallback(first, spare))).toEqual({ agentVersion: 'through the spare transport' });
  });

  it('is used for a message that is too large for the first transport', async () => {
    const first = transportThat(() => Promise.reject(new TransportRefused(413, 'at most 1048576 bytes')));
    expect(await register(withFallback(first, spare))).toEqual({ agentVersion: 'through the spare transport' });
  });

  it('is not used after a refusal, because a refusal is an answer', async () => {
    const first = transportThat(() => Promise.reject(new TransportRefused(409, 'no')));
    await expect(register(withFallback(first, spare))).rejects.toThrow(TransportRefused);
  });
});
