const { readFileSync } = require('node:fs');
const { availableParallelism } = require('node:os');

// The build leaves specs out; here they are the point.
const { exclude: _, ...compiler } = JSON.parse(readFileSync(`${__dirname}/.swcrc`, 'utf8'));

/** One run over the whole workspace, so that one line counts every test. Suffix says the cost: unit < int < e2e. */
const suffixes = (process.env.MUSTER_TESTS ?? 'unit,int,e2e').split(',').join('|');
module.exports = {
  testEnvironment: '<rootDir>/tools/test-environment.cjs',
  testSequencer: '<rootDir>/tools/test-sequencer.cjs',
  roots: ['<rootDir>/libs', '<rootDir>/services', '<rootDir>/tools'],
  testMatch: [`**/*.(${suffixes}).spec.ts`],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/'],
  testEnvironmentOptions: { customExportConditions: ['muster-source', 'node', 'node-addons', 'require', 'default'] },
  // JavaScript only reaches this for the packages that are let through below.
  transform: { '^.+\\.(ts|js)$': ['@swc/jest', { ...compiler, swcrc: false }] },
  // Published as ES modules only: compiled on the way in, because jest on Node 20 cannot require them.
  transformIgnorePatterns: ['/node_modules/(?!(jose|@peculiar|@noble)/)'],
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  // Never in jest's own process: the end of the run ends worker processes, whatever a specification left running.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  // A worker keeps the modules of each file that it ran, so a new process replaces it from time to time.
  workerIdleMemoryLimit: '1500MB',
  // On a busy machine, the start of a process and the release of its memory take longer than the 500 ms of jest. A worker that is still
  // there after this time, in milliseconds, is reported as one that "failed to exit gracefully": a test left something running.
  workerGracefulExitTimeout: 10_000,
  testTimeout: process.env.MUSTER_PROPERTY_RUNS ? 600_000 : 30_000,
  setupFiles:
    process.env.MUSTER_PROPERTY_RUNS || process.env.MUSTER_PROPERTY_SEED ? ['<rootDir>/tools/property-runs.cjs'] : [],
  reporters: ['default', '<rootDir>/tools/test-count-reporter.cjs'],
};
