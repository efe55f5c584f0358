/**
 * Checks every regular expression of production code with recheck: none may need exponential time, whatever the input is. Expressions of
 * quadratic time are listed with --all; their input has a limit on its length.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

// The backend without native programs.
process.env.RECHECK_BACKEND = 'pure';
const { checkSync } = await import('recheck');

const ROOT = new URL('..', import.meta.url).pathname;
const SKIPPED = new Set(['node_modules', 'dist', 'gen']);
const ATTACK_TIMEOUT_MS = 3_000;
const listsAll = process.argv.includes('--all');

const places = new Map();
for (const folder of ['libs', 'services']) collect(join(ROOT, folder));

let failed = 0;
for (const [literal, place] of places) {
  const end = literal.lastIndexOf('/');
  const { status, complexity } = checkSync(literal.slice(1, end), literal.slice(end + 1), {
    timeout: ATTACK_TIMEOUT_MS,
  });
  const isExponential = status === 'vulnerable' && complexity.type === 'exponential';
  if (isExponential) failed += 1;
  if (isExponential || (listsAll && status !== 'safe'))
    console.log(`${place}: ${complexity?.summary ?? status}: ${literal.slice(0, 160)}`);
}
console.log(`${places.size} regular expressions checked, ${failed} of exponential time.`);
process.exit(failed === 0 ? 0 : 1);

function collect(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) collect(path);
    else if (entry.isFile() && /\.ts$/.test(path) && !/\.spec\.ts$/.test(path)) collectFrom(path);
  }
}

function collectFrom(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    if (ts.isRegularExpressionLiteral(node) && !places.has(node.text))
      places.set(
        node.text,
        `${path.slice(ROOT.length)}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`,
      );
    ts.forEachChild(node, visit);
  };
  visit(source);
}
