import { stageSpans, statusSpans } from './funnel';
import { after } from './journey.fixture.spec';

const NOW = after(1_000);
const mark = (name: string, seconds: number) => ({ name, at: after(seconds) });
const rowsOf = (spans: ReturnType<typeof statusSpans>) =>
  spans.map(({ name, to, seconds }) => [name, seconds, to !== null] as const);

describe('the spans of a timeline', () => {
  it('last until the next one, and the last one until now', () => {
    expect(rowsOf(statusSpans([mark('ready', 0), mark('installing', 40)], NOW))).toEqual([
      ['ready', 40, true],
      ['installing', 960, false],
    ]);
  });

  it.each(['installed', 'error', 'cancelled'])('have no duration in the final status %s', (end) => {
    expect(rowsOf(statusSpans([mark('installing', 0), mark(end, 40)], NOW))).toEqual([
      ['installing', 40, true],
      [end, 0, true],
    ]);
  });

  it('of stages end with the final status of the installation', () => {
    const statuses = [mark('installing', 0), mark('error', 70), mark('resetting', 300)];
    expect(rowsOf(stageSpans([mark('Installing', 10), mark('Writing image to disk', 20)], statuses, NOW))).toEqual([
      ['Installing', 10, true],
      ['Writing image to disk', 50, true],
    ]);
  });

  it('of a second attempt do not end with the final status of the first one', () => {
    const statuses = [mark('error', 70), mark('resetting', 80), mark('installing', 90)];
    expect(rowsOf(stageSpans([mark('Installing', 10), mark('Installing', 900)], statuses, NOW))).toEqual([
      ['Installing', 60, true],
      ['Installing', 100, false],
    ]);
  });

  it('of stages end when the host leaves its cluster, also when it is installed in another one later', () => {
    const statuses = [mark('unbinding-pending-user-action', 70), mark('known', 300), mark('installing', 400)];
    expect(rowsOf(stageSpans([mark('Rebooting', 10), mark('Starting installation', 410)], statuses, NOW))).toEqual([
      ['Rebooting', 60, true],
      ['Starting installation', 590, false],
    ]);
  });
});
