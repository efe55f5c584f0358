const { mkdirSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** Where the count of the last run can be read, by scripts that want to end with it. */
const FILE = join(__dirname, '..', 'node_modules', '.cache', 'muster-test-count');

/** Sums a run up in one plain line that any script can read. */
module.exports = class TestCountReporter {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped`;
    mkdirSync(dirname(FILE), { recursive: true });
    writeFileSync(FILE, `${line}\n`);
  }
};
