import { chmod, cp, lchown, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeStaleFiles } from '@muster/adapter-filesystem';
import type { ManifestFile, ManifestFolder } from '@muster/ignition-config';
import { errorCode } from '@muster/schema';
import { ArtifactsRefused } from '../toolchain.port';

/** Output files of the installer that are kept: name → path. They are secrets. */
const OUTPUTS: readonly (readonly [name: string, path: string])[] = [
  ['bootstrap.ign', 'bootstrap.ign'],
  ['master.ign', 'master.ign'],
  ['worker.ign', 'worker.ign'],
  ['metadata.json', 'metadata.json'],
  ['kubeadmin-password', 'auth/kubeadmin-password'],
  ['kubeconfig-noingress', 'auth/kubeconfig'],
];

export type InstallerOutput = { readonly [name: string]: string };

export async function collectOutput(folder: InstallFolder): Promise<InstallerOutput> {
  const output: { [name: string]: string } = {};
  for (const [name, path] of OUTPUTS) output[name] = await folder.read(path);
  if (await folder.has('arbiter.ign')) output['arbiter.ign'] = await folder.read('arbiter.ign');
  return output;
}

const MODE_PRIVATE = 0o600;
const MODE_PRIVATE_FOLDER = 0o700;
/** Another user may enter the folder but not list it. */
const MODE_PASSAGE = 0o711;
const FOLDERS: readonly ManifestFolder[] = ['openshift', 'manifests'];

/**
 * Creates a folder in the directory for temporary files, in which each user of the machine can create one with the same name.
 * @throws ArtifactsRefused for the folder of another user, because that user could replace the installers in it
 */
export async function createOwnFolder(path: string): Promise<void> {
  await mkdir(path, { mode: MODE_PASSAGE }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  const found = await lstat(path);
  if (found.isDirectory() && found.uid === (process.geteuid?.() ?? found.uid)) return;
  throw new ArtifactsRefused(
    `${path} is not a directory of the user that runs the service, so its content cannot be trusted. Remove it or set WORK_DIR, and start the installation again.`,
  );
}

/**
 * Opens the folder of one installation. Removes the content of an earlier run, and the folders of other installations whose run did not
 * end because the service was killed: they contain secrets.
 */
export async function openInstallFolder(path: string) {
  await rm(path, { recursive: true, force: true });
  await mkdir(dirname(path), { recursive: true, mode: MODE_PASSAGE });
  await removeStaleFiles(dirname(path), Date.now());
  await mkdir(path, { mode: MODE_PRIVATE_FOLDER });
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(join(path, name)), { recursive: true, mode: MODE_PRIVATE_FOLDER });
    await writeFile(join(path, name), text, { mode: MODE_PRIVATE });
  };
  return {
    path,
    write,
    read: (name: string): Promise<string> => readFile(join(path, name), 'utf8'),
    has: async (name: string): Promise<boolean> => (await readdir(path)).includes(name),
    rename: (from: string, to: string): Promise<void> => rename(join(path, from), join(path, to)),
    copyIn: (from: string, name: string): Promise<void> =>
      cp(from, join(path, name), { recursive: true, dereference: true }),
    /** Makes a user the owner of the folder and of its content. */
    giveTo: (uid: number): Promise<void> => changeOwner(path, uid),
    /**
     * Makes the service the owner again, so that no process of the installer can change the folder from here on.
     * @throws ArtifactsRefused for anything but files and folders: a link would lead the service out of the folder.
     */
    takeBack: (): Promise<void> => takeBack(path, process.getuid?.() ?? 0),
    manifests: async (): Promise<readonly ManifestFile[]> => {
      const files: ManifestFile[] = [];
      for (const folder of FOLDERS) {
        for (const fileName of (await namesIn(join(path, folder))).sort())
          files.push({ folder, fileName, content: await readFile(join(path, folder, fileName), 'utf8') });
      }
      return files;
    },
    /** Replaces all manifests. */
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

async function changeOwner(path: string, uid: number): Promise<void> {
  await lchown(path, uid, uid);
  if ((await lstat(path)).isDirectory())
    for (const name of await readdir(path)) await changeOwner(join(path, name), uid);
}

/** Top down, because the content of a folder that the service owns cannot change while it is read. */
async function takeBack(path: string, uid: number): Promise<void> {
  const found = await lstat(path);
  if (!found.isDirectory() && !(found.isFile() && found.nlink === 1))
    throw new ArtifactsRefused(
      `openshift-install created ${path}, which is neither a file nor a folder; its output is not used.`,
    );
  if (found.uid !== uid) await lchown(path, uid, uid);
  if (!found.isDirectory()) return;
  await chmod(path, MODE_PRIVATE_FOLDER);
  for (const name of await readdir(path)) await takeBack(join(path, name), uid);
}

const namesIn = (path: string): Promise<string[]> =>
  readdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
