/**
 * Makes `muster-host`, the executable that hosts download from the image service: a bundle of services/host inside a Node
 * executable, one per architecture, with its digest and a compressed copy. `--if-needed` does nothing when the program and the
 * Node executable are the ones of the last run. Architectures other than this machine's come from the packages `node-linux-*`;
 * `--architectures x86_64,aarch64` chooses.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { arch } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { inject } from 'postject';

const ROOT = new URL('..', import.meta.url).pathname;
const OUT = join(ROOT, 'dist', 'muster-host');
const CACHE = join(ROOT, 'node_modules', '.cache', 'muster-host');
const SENTINEL = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
/** `uname -m` → the architecture in the names of Node's packages */
const ARCHITECTURES = { x86_64: 'x64', aarch64: 'arm64', ppc64le: 'ppc64le', s390x: 's390x' };
/** The blob has the byte order of the machine that creates it. */
const BIG_ENDIAN = ['s390x'];
const OWN = Object.entries(ARCHITECTURES).find(([, name]) => name === arch())?.[0];
const GZIP_LEVEL = 6;
/** `e_machine` of the ELF header. */
const ELF_MACHINES = { x86_64: 62, aarch64: 183, ppc64le: 21, s390x: 22 };
const ELF_MACHINE_OFFSET = 18;

const options = process.argv.slice(2);
const chosen = options.find((option) => option.startsWith('--architectures='))?.split('=')[1];
const wanted = (chosen ?? process.env.MUSTER_HOST_ARCHITECTURES ?? OWN ?? '').split(',').filter(Boolean);
for (const name of wanted)
  if (!ARCHITECTURES[name])
    fail(`Architecture "${name}" is not known. Known: ${Object.keys(ARCHITECTURES).join(', ')}.`);
if (process.platform !== 'linux') {
  say('this machine does not run Linux: no executable is made, and hosts need container images (AGENT_DOCKER_IMAGE).');
  process.exit(0);
}

mkdirSync(CACHE, { recursive: true });
mkdirSync(OUT, { recursive: true });
const bundle = join(CACHE, 'muster-host.cjs');
await build({
  entryPoints: [join(ROOT, 'services/host/dist/main.js')],
  outfile: bundle,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  minify: true,
  keepNames: true,
  legalComments: 'none',
  logLevel: 'error',
});
const version = createHash('sha256').update(readFileSync(bundle)).update(process.version).digest('hex').slice(0, 12);
const indexFile = join(OUT, 'index.json');
if (options.includes('--if-needed') && isCurrent()) process.exit(0);

const blob = join(CACHE, 'muster-host.blob');
const config = join(CACHE, 'sea.json');
writeFileSync(
  config,
  // Code caches and snapshots fit one architecture and version only.
  JSON.stringify({ main: bundle, output: blob, disableExperimentalSEAWarning: true, useCodeCache: false }),
);
execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] });

const binaries = [];
for (const architecture of wanted) {
  const node = nodeFor(architecture);
  if (!node) continue;
  const file = `muster-host-${architecture}`;
  const path = join(OUT, file);
  const part = `${path}.part`;
  copyFileSync(node, part);
  chmodSync(part, 0o755);
  await quietly(() => inject(part, 'NODE_SEA_BLOB', readFileSync(blob), { sentinelFuse: SENTINEL }));
  const bytes = readFileSync(part);
  checkExecutable(bytes, architecture);
  writeFileSync(`${path}.gz.part`, gzipSync(bytes, { level: GZIP_LEVEL }));
  renameSync(part, path);
  renameSync(`${path}.gz.part`, `${path}.gz`);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  binaries.push({ architecture, file, sha256, bytes: bytes.length });
  say(`${file}: ${Math.round(bytes.length / 1e6)} MB, ${sha256.slice(0, 12)}`);
}
writeFileSync(`${indexFile}.part`, `${JSON.stringify({ version, node: process.version, binaries }, undefined, 2)}\n`);
renameSync(`${indexFile}.part`, indexFile);

function isCurrent() {
  if (!existsSync(indexFile)) return false;
  const index = JSON.parse(readFileSync(indexFile, 'utf8'));
  const has = (architecture) =>
    index.binaries.some((one) => one.architecture === architecture && existsSync(join(OUT, one.file)));
  return index.version === version && wanted.every(has);
}

/** A file for another machine cannot be run here, so its header and its blob are checked. */
function checkExecutable(bytes, architecture) {
  const isBigEndian = BIG_ENDIAN.includes(architecture);
  const machine = isBigEndian ? bytes.readUInt16BE(ELF_MACHINE_OFFSET) : bytes.readUInt16LE(ELF_MACHINE_OFFSET);
  const isElf = bytes.subarray(0, 4).equals(Buffer.from([0x7f, 0x45, 0x4c, 0x46]));
  if (!isElf || bytes[5] !== (isBigEndian ? 2 : 1) || machine !== ELF_MACHINES[architecture])
    fail(`The executable for ${architecture} is one for another machine (ELF machine ${machine}).`);
  if (!bytes.includes(`${SENTINEL}:1`) || !bytes.includes('NODE_SEA_BLOB'))
    fail(`The executable for ${architecture} does not contain the program.`);
}

/** The Node executable of that architecture, of the very version that makes the blob. */
function nodeFor(architecture) {
  if (architecture === OWN) return process.execPath;
  if (BIG_ENDIAN.includes(architecture) !== BIG_ENDIAN.includes(OWN)) {
    say(
      `there is no executable for ${architecture}: its byte order is another one than that of ${OWN}. Build it on ${architecture}.`,
    );
    return undefined;
  }
  const name = `node-linux-${ARCHITECTURES[architecture]}`;
  const release = process.version.slice(1);
  const folder = join(CACHE, `${name}-${release}`);
  const executable = join(folder, 'package', 'bin', 'node');
  if (existsSync(executable)) return executable;
  mkdirSync(folder, { recursive: true });
  say(`fetching ${name}@${release}…`);
  try {
    const [{ filename }] = JSON.parse(
      execFileSync('npm', ['pack', `${name}@${release}`, '--json', '--silent', '--pack-destination', folder], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    execFileSync('tar', ['-xzf', join(folder, filename), '-C', folder]);
    return executable;
  } catch {
    rmSync(folder, { recursive: true, force: true });
    say(`${name}@${release} cannot be fetched: there is no executable for ${architecture}.`);
    return undefined;
  }
}

/** Hides a warning of the injector about a section that every Node executable has. */
async function quietly(work) {
  const { error, log, warn } = console;
  Object.assign(console, { error: () => {}, log: () => {}, warn: () => {} });
  try {
    await work();
  } finally {
    Object.assign(console, { error, log, warn });
  }
}

function say(text) {
  console.log(`muster-host: ${text}`);
}

function fail(text) {
  console.error(`muster-host: ${text}`);
  process.exit(1);
}
