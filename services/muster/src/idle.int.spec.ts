import { get } from 'node:http';
import { embeddedSettings, temporaryDirectory } from '@muster/testing';
import { type RunningMuster, startEmbedded } from './embedded';

const HOUR_MS = 3_600_000;
/** Shorter than the time after which a connection without an answer counts as broken. */
const STEP_MS = 2_000;
/** Lines on a screen. */
const LINES_MAX = 24;

describe('a healthy service without work', () => {
  const directory = temporaryDirectory();
  const lines: string[] = [];
  const keep = (level: string) => (text: unknown) => void lines.push(`${level} ${String(text)}`);
  const logger = { log: keep('log'), warn: keep('warn'), error: keep('error'), fatal: keep('fatal') };
  let muster: RunningMuster;
  let url = '';
  beforeAll(async () => {
    // Timers and the clock are advanced by the test. Everything else is real: the bus, the files, the sockets.
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
    const starting = startEmbedded(embeddedSettings(directory.path), logger);
    muster = await whileTimePasses(starting);
    url = muster.services.find(({ name }) => name === 'gateway')?.endpoints[0] ?? '';
  }, 60_000);
  afterAll(async () => {
    await whileTimePasses(muster.close());
    jest.useRealTimers();
    directory.remove();
  });

  /** A real millisecond, so that the faked time of a wait is not faster than the servers. */
  const turn = async (): Promise<void> => {
    const endMs = performance.now() + 1;
    do await new Promise((resolve) => setImmediate(resolve));
    while (performance.now() < endMs);
  };
  async function whileTimePasses<Result>(work: Promise<Result>): Promise<Result> {
    let isOver = false;
    const end = (): void => void (isOver = true);
    work.then(end, end);
    while (!isOver) {
      await jest.advanceTimersByTimeAsync(1);
      await turn();
    }
    return work;
  }
  const isReady = (): Promise<boolean> =>
    new Promise((resolve, reject) => {
      get(`${url}/ready`, { agent: false }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode === 200));
      }).on('error', reject);
    });

  it(`logs at most ${LINES_MAX} lines in an hour, with the level info`, async () => {
    expect(await whileTimePasses(isReady())).toBe(true);
    const bus = muster.platform.probes?.find(({ part }) => part === 'bus');
    lines.length = 0;
    for (let passedMs = 0; passedMs < HOUR_MS; passedMs += STEP_MS) {
      await jest.advanceTimersByTimeAsync(STEP_MS);
      // A round trip through the bus: answers that arrived are handled before more time passes.
      expect(await whileTimePasses(bus?.check() ?? Promise.resolve('no probe'))).toBeUndefined();
    }
    expect(await whileTimePasses(isReady())).toBe(true);
    expect(lines.length).toBeLessThanOrEqual(LINES_MAX);
  }, 120_000);
});
