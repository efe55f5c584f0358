/** Names that a cluster's artifacts may have, besides one per host. */
export const ARTIFACT_NAMES = [
  'bootstrap.ign',
  'master.ign',
  'worker.ign',
  'arbiter.ign',
  'metadata.json',
  'install-config.yaml',
  'custom_manifests.json',
  'custom_manifests.yaml',
  'kubeconfig',
  'kubeconfig-noingress',
  'kubeadmin-password',
] as const;

const HOST_ARTIFACT = /^(master|worker|arbiter)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.ign$/;

export function isArtifactName(name: string): boolean {
  return ARTIFACT_NAMES.some((known) => known === name) || HOST_ARTIFACT.test(name);
}

export function hostArtifactName(role: string, hostId: string): string {
  return `${role}-${hostId}.ign`;
}
