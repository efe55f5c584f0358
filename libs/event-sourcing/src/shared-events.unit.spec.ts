import type { Requests } from '@muster/ports';
import { type LocalBus, localBus } from './local-bus.fixture.spec';
import {
  ALL_EVENTS,
  ALL_PROJECTIONS,
  eventSubject,
  HEAD_BEACON,
  projectionSubject,
  subscribeToEvents,
} from './shared-events';

/** NATS: `*` is one token, `>` the rest. */
const covers = (pattern: string, subject: string): boolean =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^.]+').replace('>', '.+')}$`).test(subject);

describe('the subjects of events', () => {
  it('are all under one pattern, and no category can be taken for the beacon', () => {
    for (const category of ['cluster', 'host', 'head']) {
      expect(covers(ALL_EVENTS, eventSubject(category))).toBe(true);
      expect(eventSubject(category)).not.toBe(HEAD_BEACON);
    }
    expect(covers(ALL_EVENTS, HEAD_BEACON)).toBe(true);
  });

  it('are apart from those of projections, which are under one pattern too', () => {
    expect(covers(ALL_PROJECTIONS, projectionSubject('views'))).toBe(true);
    expect(covers(ALL_EVENTS, projectionSubject('views'))).toBe(false);
  });
});

describe('live facts', () => {
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

  it('continue for the others when one consumer leaves, and end with the last', async () => {
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

  it('come again for a consumer that arrives after all had left', async () => {
    subscribeToEvents(counting, () => undefined).unsubscribe();
    let heard = 0;
    subscribeToEvents(counting, () => (heard += 1));
    counting.publish('event.v1.host', {});
    await turns();
    expect({ heard, ...subscriptions }).toEqual({ heard: 1, made: 2, ended: 1 });
  });

  it('of one bus are not heard on another', async () => {
    let heard = 0;
    subscribeToEvents(localBus(), () => (heard += 1));
    subscribeToEvents(counting, () => undefined);
    counting.publish('event.v1.host', {});
    await turns();
    expect(heard).toBe(0);
  });
});
