import { NoteIntervals } from './note-intervals';

const note = (name: string, hostId: string) => ({
  name,
  severity: 'info',
  category: 'user',
  message: 'm',
  clusterId: '',
  hostId,
  infraEnvId: '',
});

describe('the interval between notes', () => {
  const intervals = new NoteIntervals(new Map([['upgrade', 1_000]]));
  intervals.recorded(note('upgrade', 'a'), 5_000);
  intervals.recorded(note('other', 'a'), 5_000);

  it.each([
    ['the same note about the same host within it', 'upgrade', 'a', 5_999, true],
    ['the same note after it', 'upgrade', 'a', 6_000, false],
    ['the same note about another host', 'upgrade', 'b', 5_001, false],
    ['a note without an interval', 'other', 'a', 5_001, false],
  ])('%s', (_what, name, hostId, nowMs, tooSoon) => {
    expect(intervals.isTooSoon(note(name, hostId), nowMs)).toBe(tooSoon);
  });
});
