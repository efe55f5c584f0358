/** The real coreos-installer, built by cargo. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE } from './live-image.mjs';

export const COREOS_INSTALLER_VERSION = '0.27.0';

/** What the build needs of the machine, by the Debian package that brings it. */
export const BUILD_NEEDED = [
  ['libssl-dev', '/usr/include/openssl/ssl.h'],
  ['libzstd-dev', '/usr/include/zstd.h'],
  ['pkg-config', '/usr/bin/pkg-config'],
];

/**
 * Returns the path of the executable: the one that COREOS_INSTALLER names, or one that was installed or built before. Without one it
 * is built when `build` is set and cargo is there; otherwise undefined.
 * @param {{ build: boolean, say: (text: string) => void }} options
 */
export function findCoreosInstaller({ build, say }) {
  const own = join(CACHE, 'coreos-installer', 'bin', 'coreos-installer');
  const given = process.env.COREOS_INSTALLER;
  const found = [given, own, join(process.env.HOME ?? '/root', '.cargo/bin/coreos-installer')].find(
    (path) => path && existsSync(path),
  );
  if (found || !build) return found;
  const missing = BUILD_NEEDED.filter(([, path]) => !existsSync(path)).map(([name]) => name);
  if (missing.length > 0) {
    say(`coreos-installer is not built (${missing.join(', ')} missing; apt-get install ${missing.join(' ')})`);
    return undefined;
  }
  say(`building coreos-installer ${COREOS_INSTALLER_VERSION} with cargo (some minutes, once)…`);
  // The dev profile of the crate optimizes the packages that take its time, and builds in less than half the time of the release profile.
  const args = ['install', 'coreos-installer', '--version', COREOS_INSTALLER_VERSION, '--locked', '--quiet', '--debug'];
  try {
    execFileSync('cargo', [...args, '--root', join(CACHE, 'coreos-installer')], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, CARGO_PROFILE_DEV_DEBUG: '0' },
    });
  } catch (error) {
    say(`coreos-installer is not built: ${error.message}`);
    return undefined;
  }
  return own;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = findCoreosInstaller({ build: true, say: console.error });
  if (path) console.log(path);
  // Not 1, which is an error of this program.
  else process.exitCode = 3;
}
