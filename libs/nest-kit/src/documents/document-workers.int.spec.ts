import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DOCUMENT_LIMITS, DOCUMENT_TASKS, type DocumentTask, DocumentWorkers } from './document-workers';

/** The compiled form of the entry, so that the test needs no build. */
const ENTRY = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ module, name, args }) => {
  try { parentPort.postMessage({ result: require(module)[name](...args) }); }
  catch (error) { parentPort.postMessage({ error: error.message }); }
});
parentPort.postMessage('ready');
`;
const TASKS = `
exports.double = (number) => number * 2;
let counted = 0;
exports.count = () => (counted += 1);
exports.loop = () => { for (;;); };
exports.fill = () => { const all = []; for (;;) all.push(new Array(1e6).fill(1.5)); };
exports.recurse = () => exports.recurse() + 1;
`;

describe('document workers', () => {
  let directory: string;
  let workers: DocumentWorkers;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'muster-documents-'));
    writeFileSync(join(directory, 'entry.js'), ENTRY);
    writeFileSync(join(directory, 'tasks.js'), TASKS);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const create = (timeMs: number): void => {
    const waitingCharacters = 3 * JSON.stringify([join(directory, 'tasks.js'), 'double', [1]]).length;
    const limits = { timeMs, memoryMib: 32, workers: 1, waitingCharacters };
    workers = DocumentWorkers.create(limits, join(directory, 'entry.js'));
  };
  beforeEach(() => create(25_000));
  afterEach(() => workers.onApplicationShutdown());

  const task = (name: string): DocumentTask<readonly [number], number> => ({
    module: join(directory, 'tasks.js'),
    name,
    subject: 'document',
    run: () => -1,
  });

  it('return the result of the function', async () => {
    expect(await Promise.all([1, 2, 3].map((number) => workers.run(task('double'), number)))).toEqual([2, 4, 6]);
  });

  it.each([
    ['time', 'loop', 2_000, /document cannot be read within 2 seconds/],
    ['memory', 'fill', 25_000, /document cannot be read within 32 MiB of memory/],
    ['stack', 'recurse', 25_000, /call stack/],
  ])('end at the limit on %s, and the next document is processed', async (_, name, timeMs, reason) => {
    await workers.onApplicationShutdown();
    create(timeMs);
    const ended = workers.run(task(name), 1);
    const next = workers.run(task('double'), 4);
    await expect(ended).rejects.toThrow(reason);
    expect(await next).toBe(8);
  });

  it('do not block the main thread', async () => {
    await workers.onApplicationShutdown();
    create(500);
    const ended = workers.run(task('loop'), 1).catch(() => 'ended');
    let turns = 0;
    const nextTurn = (): void => {
      turns += 1;
      turning = setImmediate(nextTurn);
    };
    let turning = setImmediate(nextTurn);
    await ended;
    clearImmediate(turning);
    expect(turns).toBeGreaterThan(5);
  });

  it('refuse documents when too many wait', async () => {
    const all = await Promise.allSettled(Array.from({ length: 6 }, (_, number) => workers.run(task('double'), number)));
    expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(2);
  });

  it('run a task once for requests that are repeated meanwhile, unless each runs alone', async () => {
    const shared = await Promise.all([1, 2].map(() => workers.run(task('count'), 1)));
    const alone = await Promise.all([1, 2].map(() => workers.runAlone(task('count'), 1, 1)));
    expect([...shared, ...alone]).toEqual([1, 1, 2, 3]);
  });

  it('wait with the reports of all hosts of a large cluster', async () => {
    await workers.onApplicationShutdown();
    workers = DocumentWorkers.create({ ...DOCUMENT_LIMITS, workers: 1 }, join(directory, 'entry.js'));
    const numbers = Array.from({ length: 1_000 }, (_, number) => number);
    const all = await Promise.all(numbers.map((number) => workers.run(task('double'), number)));
    expect(all).toEqual(numbers.map((number) => 2 * number));
  });

  it.each(Object.values(DOCUMENT_TASKS))('find the function $name in $module', async ({ module, name, run }) => {
    const exported = (await import(module)) as { readonly [name: string]: unknown };
    expect(exported[name]).toBe(run);
  });

  it('run in the main thread when no compiled entry exists', async () => {
    expect(await DocumentWorkers.create().run(task('double'), 1)).toBe(-1);
  });
});
