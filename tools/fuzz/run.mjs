// Throws schemathesis, a public fuzzer of APIs, at a Muster of its own:
//   node tools/fuzz/run.mjs [DOCUMENT] [--examples N] [--seed N]
// DOCUMENT is an OpenAPI or Swagger document: the contract, or (when none is named) Muster's own. Needs python3 with venv; says so where there is none. Exit code 1: a 5xx was found.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const READY_TIMEOUT_MS = 30_000;
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

const [restPort, imagePort] = [await freePort(), await freePort()];
const muster = spawn('node', [join(ROOT, 'services', 'muster', 'dist', 'main.js')], {
  env: { ...process.env, REST_PORT: restPort, IMAGE_PORT: imagePort, MUSTER_DATA_DIRECTORY: directory },
  stdio: ['ignore', 'ignore', 'inherit'],
});
let status = 1;
try {
  await untilReady(`http://127.0.0.1:${restPort}/ready`);
  // Muster's own document names whole paths, the contract what follows its prefix.
  const hasWholePaths = readFileSync(contract, 'utf8').includes(`"${PREFIX}/`);
  const url = `http://127.0.0.1:${restPort}${hasWholePaths ? '' : PREFIX}`;
  const examples = ['--max-examples', option('--examples', '15'), '--seed', option('--seed', '1')];
  const checks = ['--checks', 'not_a_server_error', '--request-timeout', '10', '--workers', '2'];
  const fuzzer = join(venv, 'bin', 'schemathesis');
  status =
    spawnSync(fuzzer, ['run', contract, '--url', url, ...checks, ...examples], {
      stdio: 'inherit',
      cwd: directory,
    }).status ?? 1;
} finally {
  muster.kill('SIGTERM');
  await new Promise((resolve) => muster.once('exit', resolve));
  rmSync(directory, { recursive: true, force: true });
}
process.exit(status);

function run(program, args) {
  const { status: ended } = spawnSync(program, args, { stdio: 'inherit' });
  if (ended !== 0) process.exit(2);
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(String(port)));
    });
  });
}

async function untilReady(url) {
  for (const startedAt = Date.now(); Date.now() - startedAt < READY_TIMEOUT_MS;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('Muster did not become ready.');
}
