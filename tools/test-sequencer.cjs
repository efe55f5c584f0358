const Sequencer = require('@jest/test-sequencer').default;

/**
 * These files search the memory of their process. In a worker that has run a few hundred other files, the same search took four times as
 * long.
 */
const FIRST = ['memory.int.spec.ts'];

const isFirst = ({ path }) => FIRST.some((name) => path.endsWith(`/${name}`));

module.exports = class TestSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    return [...sorted.filter(isFirst), ...sorted.filter((test) => !isFirst(test))];
  }
};
