/**
 * Completes package-lock.json with the optional packages of other platforms.
 * npm leaves out of the lock what the registry it reaches does not hold, and `npm ci` then refuses the lock.
 * Run after every `npm install`; does nothing when the lock is complete.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const LOCK = new URL('../package-lock.json', import.meta.url);
const OS = ['darwin', 'win32', 'linux', 'android', 'freebsd', 'openbsd', 'netbsd', 'sunos', 'openharmony', 'aix'];
const CPU = [
  'arm64',
  'x64',
  'ia32',
  'arm',
  'armv7',
  'ppc64',
  'ppc64le',
  's390x',
  'riscv64',
  'loong64',
  'mips64el',
  'wasm32',
];

const lock = JSON.parse(readFileSync(LOCK, 'utf8'));
let added = 0;
for (const [path, entry] of Object.entries({ ...lock.packages })) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (lock.packages[`${path}/node_modules/${name}`] ?? lock.packages[`node_modules/${name}`]) continue;
    const words = name.split(/[/-]/);
    const os = OS.filter((word) => words.includes(word) || (word === 'win32' && words.includes('windows')));
    const cpu = CPU.filter((word) => words.includes(word));
    // A package without a platform in its name may be required on this platform too: check it manually.
    if (os.length === 0 && cpu.length === 0) {
      console.warn(`${name} (optional for ${path}) is not in the lock and names no platform; left out.`);
      continue;
    }
    lock.packages[`node_modules/${name}`] = {
      version: range.replace(/^[~^]/, ''),
      ...(cpu.length > 0 && { cpu: cpu.map((word) => (word === 'armv7' ? 'arm' : word)) }),
      optional: true,
      ...(os.length > 0 && { os }),
    };
    added += 1;
  }
}
if (added > 0) {
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  writeFileSync(LOCK, `${JSON.stringify(lock, null, 2)}\n`);
}
console.log(`package-lock.json: ${added} entries of other platforms added.`);
