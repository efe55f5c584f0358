/**
 * Brings a machine to where the other commands can run: packages of the lockfile and the programs of the distribution
 * that the embedded profile uses, with `--tests` also those of the tests, with `--build` none of them. Says what it does; does nothing when nothing is missing.
 * The settings in the shell can make programs unnecessary, but not for the demo, the benchmarks, the virtual machines (`--demo`) and the
 * tests: these have settings of their own.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILD_NEEDED } from './vm/coreos-installer.mjs';
import { NEEDED } from './vm/live-image.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What npm, the build and the executables for hosts write. A command of another user may have created them. */
const WRITTEN = ['', 'node_modules', 'node_modules/.cache', 'node_modules/.cache/muster-build.log', '.nx', 'dist'];
const STAMP = join(ROOT, 'node_modules', '.cache', 'muster-setup');
const [hasVerifiers, hasTests, hasDemo, isBuild] = ['--verifiers', '--tests', '--demo', '--build'].map((option) =>
  process.argv.includes(option),
);
const settings = hasVerifiers || hasTests || hasDemo ? {} : process.env;
/** The first start with a data directory makes it. */
const SIMULATED_IMAGE = join('images', 'muster-demo-x86_64.iso');
/** program → the distribution's package, and what Muster needs it for */
const PROGRAMS = {
  'nats-server': {
    package: 'nats-server',
    use: 'the message bus of the embedded profile',
    spare: () => Boolean(settings.NATS_URL),
  },
  xorriso: {
    package: 'xorriso',
    use: 'making the image that simulated hosts boot',
    spare: () =>
      Boolean(settings.OS_IMAGES) ||
      /^(false|0)$/i.test(settings.MUSTER_SIMULATED_IMAGE ?? '') ||
      (settings === process.env && existsSync(join(process.env.MUSTER_DATA_DIRECTORY || '.muster', SIMULATED_IMAGE))),
  },
};
const OF_TESTS = {
  xz: { package: 'xz-utils', use: 'unpacking image fixtures', spare: () => false },
};
/** Installed with `--verifiers` only: tests that ask a second opinion skip, with the reason in their name, where it is missing. */
const VERIFIERS = {
  'ignition-validate': { package: 'ignition', use: 'a second opinion on ignition documents', spare: () => false },
  cpio: { package: 'cpio', use: 'a second opinion on ramdisks', spare: () => false },
  'qemu-system-x86_64': { package: 'qemu-system-x86', use: 'booting an image to its menu', spare: () => false },
  'docker-registry': { package: 'docker-registry', use: 'reading releases from a real registry', spare: () => false },
  openssl: { package: 'openssl', use: 'a second opinion on certificates', spare: () => false },
  'systemd-analyze': { package: 'systemd', use: 'a second opinion on systemd units', spare: () => false },
  curl: { package: 'curl', use: 'the commands of the documentation and of hosts', spare: () => false },
  jq: { package: 'jq', use: 'the commands of the documentation', spare: () => false },
  chromium: { package: 'chromium', use: 'requests of pages of other origins', spare: () => false },
  ...Object.fromEntries([...NEEDED, ...BUILD_NEEDED].map(([name, path]) => [path, file(name, path)])),
};
const wanted = {
  ...(!isBuild && PROGRAMS),
  ...((hasTests || hasVerifiers) && OF_TESTS),
  ...(hasVerifiers && VERIFIERS),
};

const [major, minor] = process.versions.node.split('.').map(Number);
// Other versions cannot load packages that are ES modules with `require`.
if (!(major === 20 ? minor >= 19 : major === 22 ? minor >= 12 : major > 22))
  fail(
    `Node ${process.versions.node} cannot run Muster. Supported: 20.19 and later releases of 20, 22.12 and later. Install one of them, and run this again.`,
  );
requireWritableTree();
installPackages();
installPrograms();

function requireWritableTree() {
  for (const path of WRITTEN.map((name) => resolve(ROOT, name)).filter((one) => existsSync(one)))
    try {
      accessSync(path, constants.W_OK);
    } catch {
      fail(
        `${path} is not writable for this user, and the set-up and the build write to it. Change the owner of the tree and of everything in it, or run this as its owner.`,
      );
    }
}

function installPackages() {
  const digest = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digest) return;
  say('installing packages from the lockfile (about half a minute, once)…');
  if (npm('ci') !== 0) {
    say('the lockfile could not be used as it is; resolving it for this machine…');
    if (npm('install') !== 0) fail('npm could not install the packages; its output above says why.');
  }
  mkdirSync(join(ROOT, 'node_modules', '.cache'), { recursive: true });
  writeFileSync(STAMP, digest);
}

/** The build needs the packages of the development, which npm omits with NODE_ENV=production. */
function npm(command) {
  return spawnSync('npm', [command, '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  }).status;
}

function installPrograms() {
  const missing = Object.entries(wanted).filter(([program, { spare }]) => !spare() && !onPath(program));
  if (missing.length === 0) return;
  const packages = missing.map(([, entry]) => entry.package);
  for (const [program, { use }] of missing) say(`${program} is missing (${use}).`);
  const byHand = `Install ${packages.join(', ')} with your system's package manager and run this again.`;
  if (!onPath('apt-get')) fail(byHand);
  const asRoot = process.getuid?.() === 0 ? [] : onPath('sudo') ? ['sudo', '-n'] : undefined;
  if (!asRoot) fail(byHand);
  say(`installing ${packages.join(', ')} from the distribution…`);
  try {
    apt(asRoot, ['update', '-qq']);
    apt(asRoot, ['install', '-y', '-qq', '--no-install-recommends', ...packages]);
  } catch {
    fail(`apt-get did not succeed. ${byHand}`);
  }
}

function apt(asRoot, args) {
  const [program, ...rest] = [...asRoot, 'apt-get', ...args];
  execFileSync(program, rest, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

function onPath(program) {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin', '/usr/bin'].some((folder) =>
    existsSync(join(folder, program)),
  );
}

/** A package that brings a file, which need not be a program on the path. */
function file(name, path) {
  return { package: name, use: 'the machines of npm run test:vm', spare: () => existsSync(path) };
}

function say(text) {
  console.log(`setup: ${text}`);
}

function fail(text) {
  console.error(`setup: ${text}`);
  process.exit(1);
}
