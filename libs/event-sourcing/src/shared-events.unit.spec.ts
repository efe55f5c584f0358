import type { Requests } from '@muster/ports';
import { type LocalBus, localBus } from './local-bus.fixture.spec';
import { ALL_EVENTS, eventSubject, HEAD_BEACON, projectionSubject, subscribeToEvents } from './shared-events';

/** Returns true when the NATS pattern covers the subject. `*` is one token, `>` the remaining tokens. */
const covers = (pattern: string, subject: string): boolean =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^.]+').replace('>', '.+')}$`).test(subject);

describe('subjects of events', () => {
  it('are covered by one pattern, and the beacon is not a category', () => {
    for (const category of ['cluster', 'host', 'head']) {
      expect(covers(ALL_EVENTS, eventSubject(category))).toBe(true);
      expect(eventSubject(category)).not.toBe(HEAD_BEACON);
    }
    expect(covers(ALL_EVENTS, HEAD_BEACON)).toBe(true);
  });

  it('differ from those of projections', () => {
    expect(covers(ALL_EVENTS, projectionSubject('views'))).toBe(false);
  });
});

describe('live events', () => {
  let bus: LocalBus;
  let subscriptions: { made: number; ended: number };
  let counting: Requests;
  const turns = async (): Promise<void> => {
    for (let n = 0; n < 5; n += 1) await Promise.resolve();
  };

  beforeEach(() => {
    bus = localBus();
    subscriptions = { made: 0, ended: 0 };
    counting = {
      ...bus,
      subscribe: (subject, onMessage) => {
        subscriptions.made += 1;
        const { unsubscribe } = bus.subscribe(subject, onMessage);
        return {
          unsubscribe: () => {
            subscriptions.ended += 1;
            unsubscribe();
          },
        };
      },
    };
  });

  it('reach every consumer of a bus through one subscription', async () => {
    const heard: string[] = [];
    subscribeToEvents(counting, ({ subject }) => heard.push(`first ${subject}`));
    subscribeToEvents(counting, ({ subject }) => heard.push(`second ${subject}`));
    counting.publish('event.v1.host', {});
    counting.publish(HEAD_BEACON, {});
    await turns();
    expect(heard).toEqual([
      'first event.v1.host',
      'second event.v1.host',
      `first ${HEAD_BEACON}`,
      `second ${HEAD_BEACON}`,
    ]);
    expect(subscriptions).toEqual({ made: 1, ended: 0 });
  });

  it('continue for the others when one consumer leaves, and end with the last consumer', async () => {
    const heard: string[] = [];
    const first = subscribeToEvents(counting, () => heard.push('first'));
    const second = subscribeToEvents(counting, () => heard.push('second'));
    first.unsubscribe();
    first.unsubscribe();
    counting.publish('event.v1.host', {});
    await turns();
    expect(heard).toEqual(['second']);
    expect(subscriptions.ended).toBe(0);
    second.unsubscribe();
    expect(subscriptions.ended).toBe(1);
  });

  it('start again for a consumer that arrives after all others have left', async () => {
    subscribeToEvents(counting, () => undefined).unsubscribe();
    let heard = 0;
    subscribeToEvents(counting, () => (heard += 1));
    counting.publish('event.v1.host', {});
    await turns();
    expect({ heard, ...subscriptions }).toEqual({ heard: 1, made: 2, ended: 1 });
  });

  it('of one bus do not reach another bus', async () => {
    let heard = 0;
    subscribeToEvents(localBus(), () => (heard += 1));
    subscribeToEvents(counting, () => undefined);
    counting.publish('event.v1.host', {});
    await turns();
    expect(heard).toBe(0);
  });
});
