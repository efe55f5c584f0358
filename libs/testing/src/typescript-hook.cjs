/** Lets a child process of a test run TypeScript from source: `node -C muster-source -r <this file> program.ts`. */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { transformSync } = require('@swc/core');

const { exclude: _, ...compiler } = JSON.parse(readFileSync(join(__dirname, '../../../.swcrc'), 'utf8'));

require.extensions['.ts'] = (module, filename) => {
  const options = { ...compiler, swcrc: false, sourceMaps: 'inline', filename };
  module._compile(transformSync(readFileSync(filename, 'utf8'), options).code, filename);
};
