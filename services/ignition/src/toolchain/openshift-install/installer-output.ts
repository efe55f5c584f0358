import type { InstallFolder } from './install-folder';

/** What the installer leaves that is worth keeping, by the name it is kept under → where it lies. Secrets. */
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
