const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

/** File → its source and its script, for all test files that this process runs. */
const scripts = new Map();
const { compileFunction } = vm;

/**
 * Jest compiles every module again for each test file. A script is compiled once here, and runs in the global object of any test file:
 * about a tenth less CPU time for all tests of a service.
 */
vm.compileFunction = (source, parameters, options = {}) => {
  const { filename, parsingContext } = options;
  if (!filename || !parsingContext) return compileFunction(source, parameters, options);
  const head = `(function(${parameters.join(',')}){`;
  let known = scripts.get(filename);
  if (known?.source !== source || known.head !== head) {
    known = { source, head, script: new vm.Script(`${head}${source}\n})`, { filename, columnOffset: -head.length }) };
    scripts.set(filename, known);
  }
  return known.script.runInContext(parsingContext);
};

module.exports = TestEnvironment;
