// Throws schemathesis, a public fuzzer of APIs, at a Muster of its own, which has no settings of the shell:
//   node tools/fuzz/run.mjs [DOCUMENT] [--examples N] [--seed N]
// DOCUMENT is an OpenAPI or Swagger document: the contract, or (when none is named) Muster's own. Needs python3 with venv; says so where there is none. Exit code 1: a 5xx was found.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const OWN_DOCUMENT = join(ROOT, 'docs', 'api', 'openapi.json');
const PREFIX = '/api/assisted-install';
const [first = '', ...rest] = process.argv.slice(2);
const isNamed = first !== '' && !first.startsWith('--');
const contract = isNamed ? resolve(first) : OWN_DOCUMENT;
const options = isNamed ? rest : [first, ...rest];
const option = (name, fallback) => {
  const at = options.indexOf(name);
  return at < 0 ? fallback : (options[at + 1] ?? fallback);
};
if (!existsSync(contract)) {
  console.error('Name the document to fuzz by: node tools/fuzz/run.mjs path/to/swagger.yaml');
  process.exit(2);
}
if (spawnSync('python3', ['-m', 'venv', '--help']).status !== 0) {
  console.error('python3 with its venv module is not here; install the packages python3 and python3-venv.');
  process.exit(2);
}

const directory = mkdtempSync(join(tmpdir(), 'muster-fuzz-'));
const venv = join(ROOT, 'node_modules', '.cache', 'schemathesis');
if (!existsSync(join(venv, 'bin', 'schemathesis'))) {
  console.log('fuzz: schemathesis is installed');
  run('python3', ['-m', 'venv', venv]);
  run(join(venv, 'bin', 'pip'), ['--quiet', 'install', 'schemathesis']);
}

const { MusterProcess } = (await import(join(ROOT, 'tools', 'demo', 'dist', 'index.js'))).default;
const muster = await MusterProcess.prepare({ dataDirectory: directory });
let status = 1;
try {
  await muster.start();
  // Muster's own document names whole paths, the contract what follows its prefix.
  const hasWholePaths = readFileSync(contract, 'utf8').includes(`"${PREFIX}/`);
  const url = `${muster.restUrl}${hasWholePaths ? '' : PREFIX}`;
  const examples = ['--max-examples', option('--examples', '15'), '--seed', option('--seed', '1')];
  const checks = ['--checks', 'not_a_server_error', '--request-timeout', '10', '--workers', '2'];
  const fuzzer = join(venv, 'bin', 'schemathesis');
  // Not spawnSync: this process reads the output of Muster, which waits when a pipe is full.
  const fuzzing = spawn(fuzzer, ['run', contract, '--url', url, ...checks, ...examples], {
    stdio: 'inherit',
    cwd: directory,
  });
  status = await new Promise((resolve, reject) => {
    fuzzing.once('error', reject);
    fuzzing.once('close', (code) => resolve(code ?? 1));
  });
} finally {
  await muster.stop();
  if (status !== 0) console.error(muster.output);
  rmSync(directory, { recursive: true, force: true });
}
process.exit(status);

function run(program, args) {
  const { status: ended } = spawnSync(program, args, { stdio: 'inherit' });
  if (ended !== 0) process.exit(2);
}
