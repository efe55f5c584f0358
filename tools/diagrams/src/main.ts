import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { apiPages } from './api-pages';
import { generate } from './index';
import { eventsPage, settingsPage, validationsPage } from './reference-pages';

export const STATE_MACHINES_FOLDER = resolve(__dirname, '../../../docs/state-machines');
const REFERENCE_FOLDER = resolve(__dirname, '../../../docs/reference');
export const API_FOLDER = resolve(__dirname, '../../../docs/api');

type Files = ReadonlyMap<string, string>;

/** Folders that contain only generated files. */
const FOLDERS: ReadonlyMap<string, () => Files | Promise<Files>> = new Map<string, () => Files | Promise<Files>>([
  [STATE_MACHINES_FOLDER, generate],
  [API_FOLDER, () => apiPages(API_FOLDER)],
  [
    REFERENCE_FOLDER,
    () =>
      new Map([
        ['events.md', eventsPage()],
        ['settings.md', settingsPage()],
        ['validations.md', validationsPage()],
      ]),
  ],
]);

/** Names of files that are missing, different, or unknown. */
export async function findDrift(folder: string, files: Files = generate()): Promise<readonly string[]> {
  const present = await readdir(folder).catch((): string[] => []);
  const wrong = present.filter((name) => !files.has(name));
  for (const [name, content] of files) {
    const found = present.includes(name) ? await readFile(join(folder, name), 'utf8') : undefined;
    if (found !== content) wrong.push(name);
  }
  return wrong.sort();
}

/** Writes missing and different files and removes unknown ones. */
export async function writeAll(folder: string, files: Files = generate()): Promise<readonly string[]> {
  const drift = await findDrift(folder, files);
  await mkdir(folder, { recursive: true });
  for (const name of drift) {
    const content = files.get(name);
    if (content === undefined) await rm(join(folder, name));
    else await writeFile(join(folder, name), content);
  }
  return drift;
}

async function main(): Promise<void> {
  const isCheck = process.argv.includes('--check');
  const found: string[] = [];
  for (const [folder, files] of FOLDERS) found.push(...(await (isCheck ? findDrift : writeAll)(folder, await files())));
  if (found.length === 0) return console.log('Generated pages are current.');
  if (!isCheck) return console.log(`Written: ${found.join(', ')}`);
  console.error(`These pages differ from the tables: ${found.join(', ')}.`);
  console.error('Regenerate them with: node tools/diagrams/dist/main.js');
  process.exitCode = 1;
}

if (require.main === module) void main();
