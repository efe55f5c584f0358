/**
 * Checks that no regular expression of production code needs exponential time, whatever the input is. Recheck decides those that repeat a
 * repetition or alternatives; without either, the time is a polynomial of the length. With --all, recheck decides all, and expressions of
 * quadratic time are listed; their input has a limit on its length. Expressions for long texts must need linear time.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

// The backend without native programs.
process.env.RECHECK_BACKEND = 'pure';
const { checkSync } = await import('recheck');

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SKIPPED = new Set(['node_modules', 'dist', 'gen']);
/** Most expressions take milliseconds. An expression that is not decided in this time has to be written in another way. */
const DECISION_TIMEOUT_MS = 60_000;
/** Files whose expressions read long texts: errors of steps, settings of 16 KiB, and documents of up to 1 MiB. */
const OF_LONG_TEXTS = [
  'libs/domain/src/steps/network-steps.ts',
  'libs/domain/src/steps/step-replies.ts',
  'libs/ignition-config/src/documents/certificates.ts',
  'libs/ignition-config/src/documents/read-yaml.ts',
  'services/events/src/metrics/observations.ts',
  'services/registration/src/agents/agent-upgrades.ts',
];
const listsAll = process.argv.includes('--all');

const places = new Map();
for (const folder of ['libs', 'services']) collect(join(ROOT, folder));

let failed = 0;
for (const [literal, place] of places) {
  const end = literal.lastIndexOf('/');
  const [source, flags] = [literal.slice(1, end), literal.slice(end + 1)];
  const mustBeLinear = readsLongTexts(place);
  if (!listsAll && !mustBeLinear && !repeatsChoices(source, flags)) continue;
  const { status, complexity } = checkSync(source, flags, { timeout: DECISION_TIMEOUT_MS });
  const isAccepted =
    status === 'safe' || (status === 'vulnerable' && complexity.type !== 'exponential' && !mustBeLinear);
  if (!isAccepted) failed += 1;
  if (!isAccepted || (listsAll && status !== 'safe'))
    console.log(`${place}: ${complexity?.summary ?? status}: ${literal.slice(0, 160)}`);
}
console.log(`${places.size} regular expressions checked, ${failed} of exponential, unknown or too long time.`);
process.exit(failed === 0 ? 0 : 1);

/**
 * Returns whether a repeated group contains a repetition or alternatives, or the expression refers to a group. Only then one text may be
 * matched in exponentially many ways.
 */
function repeatsChoices(source, flags) {
  if (flags.includes('v') || /\\[1-9k]/.test(source)) return true;
  // Escapes and classes match one character.
  const plain = source.replace(/\\[^]|\[(?:\\[^]|[^\]\\])*\]/g, 'x');
  const hasChoice = [false];
  for (const [token, next] of plain.matchAll(/\(\??|\)([*+{]?)|[*+?{|]/g)) {
    if (token.startsWith('(')) hasChoice.push(false);
    else if (token.startsWith(')')) {
      const isInside = hasChoice.pop();
      if (isInside && next) return true;
      if (isInside || next) hasChoice[hasChoice.length - 1] = true;
    } else hasChoice[hasChoice.length - 1] = true;
  }
  return false;
}

function collect(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) collect(path);
    else if (entry.isFile() && /\.ts$/.test(path) && !/\.spec\.ts$/.test(path)) collectFrom(path);
  }
}

function readsLongTexts(place) {
  return OF_LONG_TEXTS.some((file) => place.startsWith(`${file}:`));
}

function collectFrom(path) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const place = `${path.slice(ROOT.length)}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
      if (!places.has(node.text) || readsLongTexts(place)) places.set(node.text, place);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
