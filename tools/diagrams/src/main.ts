import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { generate } from './generate';

export const STATE_MACHINES_FOLDER = resolve(__dirname, '../../docs/state-machines');

/** Names of files that are missing, differ, or do not belong there. */
export async function findDrift(folder: string): Promise<readonly string[]> {
  const files = generate();
  const present = await readdir(folder).catch((): string[] => []);
  const wrong = present.filter((name) => !files.has(name));
  for (const [name, content] of files) {
    const found = present.includes(name) ? await readFile(join(folder, name), 'utf8') : undefined;
    if (found !== content) wrong.push(name);
  }
  return wrong.sort();
}

/** Writes what is missing or differs and removes what does not belong there. */
export async function writeAll(folder: string): Promise<readonly string[]> {
  const files = generate();
  const drift = await findDrift(folder);
  await mkdir(folder, { recursive: true });
  for (const name of drift) {
    const content = files.get(name);
    if (content === undefined) await rm(join(folder, name));
    else await writeFile(join(folder, name), content);
  }
  return drift;
}

async function main(): Promise<void> {
  if (!process.argv.includes('--check')) {
    const written = await writeAll(STATE_MACHINES_FOLDER);
    console.log(written.length === 0 ? 'State machine pages are current.' : `Written: ${written.join(', ')}`);
    return;
  }
  const drift = await findDrift(STATE_MACHINES_FOLDER);
  if (drift.length === 0) return console.log('State machine pages are current.');
  console.error(`These pages do not say what the tables say: ${drift.join(', ')}.`);
  console.error('Write them anew with: node tools/diagrams/dist/main.js');
  process.exitCode = 1;
}

if (require.main === module) void main();
