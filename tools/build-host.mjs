/**
 * Makes `muster-host`, the executable that hosts download from the image service: a bundle of services/host inside a Node
 * executable, one per architecture, with its digest and a compressed copy. The names contain the digest: images and installations
 * download the executable that they were made with, so those of earlier builds are kept. Node executables of other architectures
 * come from the packages `node-linux-*`.
 *
 * `--architectures=x86_64,aarch64` or MUSTER_HOST_ARCHITECTURES chooses; otherwise the architecture of this machine and those of
 * the last build. `--if-needed` builds what is missing or outdated, those of the last build included, and exits with 0 also when
 * that is not possible.
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
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { inject } from 'postject';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
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
/** Builds per architecture that are kept besides the last one. */
const EARLIER_MAX = 3;
/** Digits of a digest in names. */
const DIGITS = 12;

const options = process.argv.slice(2);
const isIfNeeded = options.includes('--if-needed');
const chosen = options.find((option) => option.startsWith('--architectures='))?.split('=')[1];
const asked = (chosen ?? process.env.MUSTER_HOST_ARCHITECTURES ?? '').split(',').flatMap((name) => name.trim() || []);
for (const name of asked)
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
const version = createHash('sha256')
  .update(readFileSync(bundle))
  .update(process.version)
  .digest('hex')
  .slice(0, DIGITS);
const indexFile = join(OUT, 'index.json');
const last = readIndex();
const known = last.binaries.map(({ architecture }) => architecture).filter((name) => ARCHITECTURES[name]);
const own = asked.length === 0 && OWN ? [OWN] : [];
const wanted = [...new Set([...asked, ...own, ...(isIfNeeded || asked.length === 0 ? known : [])])];
const current = isIfNeeded ? last.binaries.filter(isCurrent) : [];
const needed = wanted.filter((name) => !current.some(({ architecture }) => architecture === name));
if (needed.length === 0) process.exit(0);

const nodes = new Map(needed.map((name) => [name, nodeFor(name)]).filter(([, node]) => node));
const blob = nodes.size > 0 ? makeBlob(nodes.get(OWN) ?? process.execPath) : undefined;
const built = [];
if (blob) for (const [architecture, node] of nodes) built.push(...(await makeExecutable(architecture, node, blob)));
if (built.length > 0) replaceIndex([...current, ...built]);
const dropped = known.filter((name) => !wanted.includes(name));
if (dropped.length > 0) say(`executables for ${dropped.join(', ')} are kept for existing images, but not built again.`);
const missing = needed.filter((name) => !built.some(({ architecture }) => architecture === name));
if (missing.length > 0) {
  const kept = built.length === 0 ? known.filter((name) => missing.includes(name)) : [];
  const without = missing.filter((name) => !kept.includes(name));
  if (kept.length > 0) say(`hosts of ${kept.join(', ')} get the executable of the last build, which is outdated.`);
  if (without.length > 0)
    say(
      `hosts of ${without.join(', ')} need container images (AGENT_DOCKER_IMAGE, INSTALLER_IMAGE, CONTROLLER_IMAGE).`,
    );
  if (!isIfNeeded) process.exit(1);
}

/** The index of the last build. One that cannot be read counts as none. */
function readIndex() {
  const none = { binaries: [], earlier: [] };
  try {
    return { ...none, ...JSON.parse(readFileSync(indexFile, 'utf8')) };
  } catch {
    return none;
  }
}

function isCurrent(binary) {
  return last.version === version && wanted.includes(binary.architecture) && isThere(binary);
}

function isThere({ file }) {
  return existsSync(join(OUT, file)) && existsSync(join(OUT, `${file}.gz`));
}

/** Returns the program in the form that Node executables of this version accept. Undefined when this Node cannot make it. */
function makeBlob(maker) {
  const output = join(CACHE, 'muster-host.blob');
  const config = join(CACHE, 'sea.json');
  const versionFile = join(CACHE, 'version');
  // Not part of the program, because the version is computed from the program.
  writeFileSync(versionFile, `muster-host:${version}`);
  // Code caches and snapshots fit one architecture and version only.
  writeFileSync(
    config,
    JSON.stringify({
      main: bundle,
      output,
      assets: { version: versionFile },
      disableExperimentalSEAWarning: true,
      useCodeCache: false,
    }),
  );
  try {
    execFileSync(maker, ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
    return readFileSync(output);
  } catch {
    say(`${maker} cannot make single executable applications.`);
    return undefined;
  }
}

/** Returns the entry of the index; none, after a line with the reason, when the executable cannot be made. */
async function makeExecutable(architecture, node, program) {
  const part = join(OUT, `muster-host-${architecture}.part`);
  try {
    return [await injectProgram(architecture, node, program, part)];
  } catch (error) {
    for (const file of [part, `${part}.gz`]) rmSync(file, { force: true });
    say(`there is no executable for ${architecture}: ${error.message}`);
    return [];
  }
}

async function injectProgram(architecture, node, program, part) {
  copyFileSync(node, part);
  chmodSync(part, 0o755);
  await quietly(() => inject(part, 'NODE_SEA_BLOB', program, { sentinelFuse: SENTINEL }));
  const bytes = readFileSync(part);
  checkExecutable(bytes, architecture);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const file = `muster-host-${architecture}-${sha256.slice(0, DIGITS)}`;
  const path = join(OUT, file);
  writeFileSync(`${part}.gz`, gzipSync(bytes, { level: GZIP_LEVEL }));
  renameSync(`${part}.gz`, `${path}.gz`);
  renameSync(part, path);
  say(`${file}: ${Math.round(bytes.length / 1e6)} MB`);
  return { architecture, file, sha256, bytes: bytes.length };
}

/** Replaces the index, then deletes the files that only the last one has. */
function replaceIndex(binaries) {
  const digests = binaries.map(({ sha256 }) => sha256);
  const replaced = [...last.binaries, ...last.earlier].filter((one) => !digests.includes(one.sha256) && isThere(one));
  const earlier = replaced.filter(({ architecture }, index) => {
    const newer = replaced.slice(0, index).filter((one) => one.architecture === architecture);
    return newer.length < EARLIER_MAX;
  });
  const index = { version, node: process.version, binaries, earlier };
  writeFileSync(`${indexFile}.part`, `${JSON.stringify(index, undefined, 2)}\n`);
  renameSync(`${indexFile}.part`, indexFile);
  const files = [...binaries, ...earlier].map(({ file }) => file);
  for (const { file } of [...last.binaries, ...last.earlier])
    if (!files.includes(file)) for (const suffix of ['', '.gz']) rmSync(join(OUT, file + suffix), { force: true });
}

/** A file for another machine cannot be run here, so its header and its blob are checked. */
function checkExecutable(bytes, architecture) {
  const isBigEndian = BIG_ENDIAN.includes(architecture);
  const machine = isBigEndian ? bytes.readUInt16BE(ELF_MACHINE_OFFSET) : bytes.readUInt16LE(ELF_MACHINE_OFFSET);
  const isElf = bytes.subarray(0, 4).equals(Buffer.from([0x7f, 0x45, 0x4c, 0x46]));
  if (!isElf || bytes[5] !== (isBigEndian ? 2 : 1) || machine !== ELF_MACHINES[architecture])
    throw new Error(`the result is one for another machine (ELF machine ${machine}).`);
  if (!bytes.includes(`${SENTINEL}:1`) || !bytes.includes('NODE_SEA_BLOB'))
    throw new Error('the result does not contain the program.');
}

/** A Node executable of that architecture that can contain a program, of the very version that makes the blob. */
function nodeFor(architecture) {
  const found = architecture === OWN && hasSentinel(process.execPath) ? process.execPath : packagedNode(architecture);
  if (!found || hasSentinel(found)) return found;
  say(`${found} cannot contain a program: there is no executable for ${architecture}.`);
  return undefined;
}

/** Node of a distribution lacks it when its code is in a shared library. */
function hasSentinel(node) {
  return readFileSync(node).includes(`${SENTINEL}:0`);
}

/** The Node executable of the package `node-linux-*`. */
function packagedNode(architecture) {
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
  const reason = architecture === OWN ? `${process.execPath} cannot contain a program: ` : '';
  say(`${reason}fetching ${name}@${release}…`);
  try {
    const [{ filename }] = JSON.parse(
      execFileSync(
        'npm',
        ['pack', `${name}@${release}`, '--json', '--silent', '--fetch-retries=1', '--pack-destination', folder],
        {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      ),
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
