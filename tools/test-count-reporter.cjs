/** Closes a run with one plain line that any script can read. */
module.exports = class TestCountReporter {
  onRunComplete(_contexts, results) {
    console.log(
      `${results.numPassedTests} passed, ${results.numFailedTests + results.numRuntimeErrorTestSuites} failed, ${results.numPendingTests + results.numTodoTests} skipped`,
    );
  }
};
