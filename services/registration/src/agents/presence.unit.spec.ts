import { hostKeyOf } from '@muster/contracts';
import { manualClock } from '@muster/testing';
import { Logger } from '@nestjs/common';
import { Presence } from './presence';

const MINUTE_MS = 60_000;
const RETRY_MS = 5_000;
const KEY = hostKeyOf('11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222');

describe('a host whose entry cannot be read', () => {
  let sent: string[];
  let isReadable: boolean;
  let presence: Presence;
  const clock = manualClock();
  const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  const letTimePass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await jest.advanceTimersByTimeAsync(ms);
  };
  beforeEach(() => {
    jest.useFakeTimers();
    sent = [];
    isReadable = true;
    const view = {
      openHosts: () => [],
      host: () => {
        if (!isReadable) throw new Error('disk I/O error');
        return { state: { isSilent: false, isBootstrap: false } };
      },
    };
    const aggregates = {
      now: () => '2024-01-01T00:00:00.000Z',
      ownContext: () => ({}),
      hosts: { handle: async (key: string, { type }: { readonly type: string }) => void sent.push(`${type} ${key}`) },
    };
    const config = { maxDisconnectionMs: 3 * MINUTE_MS, bootstrapExtraDisconnectionMs: 0 };
    const given = [clock, config, () => -Infinity, aggregates, view] as unknown;
    presence = new Presence(...(given as ConstructorParameters<typeof Presence>));
    presence.start();
  });
  afterEach(() => {
    presence.onApplicationShutdown();
    jest.useRealTimers();
  });
  afterAll(() => logged.mockRestore());

  it('when its silence is due, is recorded as silent later', async () => {
    await presence.seen(KEY);
    isReadable = false;
    await letTimePass(4 * MINUTE_MS);
    expect(sent).toEqual([]);
    expect(logged).toHaveBeenCalledTimes(1);
    isReadable = true;
    await letTimePass(RETRY_MS);
    expect(sent).toEqual([`FallSilent ${KEY}`]);
  });

  it('at its first poll, is recorded as silent when it stops to poll', async () => {
    isReadable = false;
    expect(() => presence.seen(KEY)).toThrow('disk I/O error');
    isReadable = true;
    await presence.seen(KEY);
    await letTimePass(4 * MINUTE_MS);
    expect(sent).toEqual([`FallSilent ${KEY}`]);
  });
});
