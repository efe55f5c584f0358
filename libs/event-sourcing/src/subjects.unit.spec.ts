import { ALL_EVENTS, ALL_PROJECTIONS, eventSubject, HEAD_BEACON, projectionSubject } from './subjects';

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
