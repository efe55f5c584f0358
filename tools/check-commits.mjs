/**
 * Checks the messages of all commits since the rules for commits came into force (commitlint.config.mjs).
 * Skips with a message in a clone without that history.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Subject of the last commit before the rules apply. */
const LAST_EXEMPT_COMMIT = '^refactor(workspace): rename private terms and lay folders out by content$';
const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

const [base] = git('log', '--format=%H', `--grep=${LAST_EXEMPT_COMMIT}`).split('\n');
if (!base) {
  console.log('commits: skipped, this clone does not have the history since the rules came into force');
  process.exit(0);
}
const commits = git('rev-list', '--reverse', '--no-merges', `${base}..HEAD`).split('\n').filter(Boolean);
const { status, stdout, stderr } = spawnSync(join(ROOT, 'node_modules', '.bin', 'commitlint'), ['--from', base], {
  cwd: ROOT,
  encoding: 'utf8',
});
if (status !== 0) console.log(`${stdout}${stderr}`);
console.log(`commits: ${commits.length} checked`);
process.exit(status === 0 ? 0 : 1);
