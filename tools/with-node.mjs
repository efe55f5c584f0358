/**
 * Runs a command with another version of Node, taken from npm's `node-linux-<architecture>` packages.
 *
 * Usage: node tools/with-node.mjs <version> <command> [argument …]
 * Exit code: that of the command; 0 with a message that starts with "skipped" when the version cannot be installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const [version, command, ...args] = process.argv.slice(2);
if (!version || !command) {
  console.error('with-node: usage: node tools/with-node.mjs <version> <command> [argument …]');
  process.exit(2);
}

const bin = installed(version);
if (!bin) {
  console.log(`skipped: Node ${version} for ${process.arch} cannot be installed from the package registry`);
  process.exit(0);
}
const environment = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };
const { stdout } = spawnSync('node', ['--version'], { env: environment, encoding: 'utf8' });
console.log(`with-node: ${command} ${args.join(' ')} on Node ${stdout.trim()}`);
process.exit(spawnSync(command, args, { cwd: ROOT, env: environment, stdio: 'inherit' }).status ?? 1);

/** The folder with the `node` program of that version; undefined when the registry does not have it. */
function installed(wanted) {
  const folder = join(ROOT, 'node_modules', '.cache', 'node-versions', wanted);
  const name = `node-linux-${process.arch}`;
  const program = join(folder, 'node_modules', name, 'bin');
  if (existsSync(join(program, 'node'))) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const { status } = spawnSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--no-save', '--silent', `${name}@${wanted}`],
    {
      cwd: folder,
      stdio: 'ignore',
    },
  );
  return status === 0 && readdirSync(program).includes('node') ? program : undefined;
}
