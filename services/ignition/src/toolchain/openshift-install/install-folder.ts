import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ManifestFile, ManifestFolder } from '@muster/ignition-config';

const MODE_PRIVATE = 0o600;
const MODE_PRIVATE_FOLDER = 0o700;
const FOLDERS: readonly ManifestFolder[] = ['openshift', 'manifests'];

/** The folder in which one installation is made. What an earlier run left is gone. */
export async function openInstallFolder(path: string) {
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true, mode: MODE_PRIVATE_FOLDER });
  const write = (name: string, text: string): Promise<void> =>
    writeFile(join(path, name), text, { mode: MODE_PRIVATE });
  return {
    path,
    write,
    read: (name: string): Promise<string> => readFile(join(path, name), 'utf8'),
    has: async (name: string): Promise<boolean> => (await readdir(path)).includes(name),
    rename: (from: string, to: string): Promise<void> => rename(join(path, from), join(path, to)),
    copyIn: (from: string, name: string): Promise<void> => cp(from, join(path, name), { recursive: true }),
    manifests: async (): Promise<readonly ManifestFile[]> => {
      const files: ManifestFile[] = [];
      for (const folder of FOLDERS) {
        for (const fileName of (await namesIn(join(path, folder))).sort())
          files.push({ folder, fileName, content: await readFile(join(path, folder, fileName), 'utf8') });
      }
      return files;
    },
    /** Takes the place of all manifests that are there. */
    replaceManifests: async (files: readonly ManifestFile[]): Promise<void> => {
      for (const folder of FOLDERS) {
        await rm(join(path, folder), { recursive: true, force: true });
        await mkdir(join(path, folder), { mode: MODE_PRIVATE_FOLDER });
      }
      for (const { folder, fileName, content } of files) await write(join(folder, fileName), content);
    },
    remove: (): Promise<void> => rm(path, { recursive: true, force: true }),
  };
}

export type InstallFolder = Awaited<ReturnType<typeof openInstallFolder>>;

const namesIn = (path: string): Promise<string[]> =>
  readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
