import { spawnSync } from 'node:child_process';
import { MARKING_FLAG } from './threads';

/** Prints the number of major collections of a program whose objects live for some time. */
const PROGRAM = `
require('node:v8').setFlagsFromString('${MARKING_FLAG}');
const { PerformanceObserver, constants } = require('node:perf_hooks');
let collections = 0;
new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries()) collections += detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR ? 1 : 0;
}).observe({ entryTypes: ['gc'] });
let kept = [];
let rounds = 0;
const round = () => {
  for (let i = 0; i < 20_000; i += 1) kept.push({ i, text: 'x' + i, list: [i] });
  if (kept.length > 400_000) kept = [];
  if ((rounds += 1) < 200) return setImmediate(round);
  setTimeout(() => console.log(collections), 50);
};
round();
`;

describe('the flag of V8', () => {
  it('is known, and garbage is collected with it', () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--eval', PROGRAM], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(Number(stdout)).toBeGreaterThan(0);
  });
});
