import { stringifyForKubernetes } from '../documents/read-yaml';
import { manifest, type ManifestFile } from '../cluster-manifests/manifests-input';
import {
  chronyFile,
  encryptedRoot,
  type EncryptionChoice,
  machineConfig,
  NIC_REAPPLY_UNIT,
  singleNodeNames,
} from './node-machine-configs';

export type NodeRole = 'master' | 'worker' | 'arbiter';

/** The input of the manifests that the service adds to a cluster. */
export interface SystemManifestsInput {
  /** The pools of the cluster in addition to master and worker. */
  readonly hasArbiters: boolean;
  readonly isSingleNode: boolean;
  readonly areMastersSchedulable: boolean;
  /** The only NTP sources when `isOnlyTime` is set, otherwise in addition to those of the system. */
  readonly timeSources: readonly string[];
  readonly isOnlyTime: boolean;
  readonly encryption: EncryptionChoice;
  /** `<cluster>.<base domain>`. */
  readonly domain: string;
  /** Address of a single node that resolves the names of its cluster. Empty when a DNS server does. */
  readonly ownNamesAddress: string;
}

/** Returns the manifests in a fixed order. All of them are in the folder openshift. */
export function systemManifests(input: SystemManifestsInput): readonly ManifestFile[] {
  const roles: readonly NodeRole[] = input.hasArbiters ? ['master', 'worker', 'arbiter'] : ['master', 'worker'];
  return [
    ...roles.map((role) =>
      manifest(
        'openshift',
        `50-${role}s-chrony-configuration.yaml`,
        machineConfig(role, `50-${role}s-chrony-configuration`, { storage: { files: [chronyFile(input)] } }),
      ),
    ),
    ...ownNames(input),
    ...schedulableMasters(input),
    ...encryptedDisks(roles, input.encryption),
    ...roles.map((role) =>
      manifest(
        'openshift',
        `50-${role}s-iscsi-nic-reapply.yaml`,
        machineConfig(role, `50-${role}s-iscsi-nic-reapply`, { systemd: { units: [NIC_REAPPLY_UNIT] } }),
      ),
    ),
  ];
}

function ownNames({ isSingleNode, ownNamesAddress, domain }: SystemManifestsInput): readonly ManifestFile[] {
  if (!isSingleNode || ownNamesAddress === '') return [];
  const config = singleNodeNames(domain, ownNamesAddress);
  return [
    manifest('openshift', 'dnsmasq-bootstrap-in-place.yaml', machineConfig('master', '50-master-dnsmasq', config)),
  ];
}

/** A patch of a generated manifest: workloads may run on the control plane. */
function schedulableMasters({ areMastersSchedulable }: SystemManifestsInput): readonly ManifestFile[] {
  if (!areMastersSchedulable) return [];
  const patch = [{ op: 'replace', path: '/spec/mastersSchedulable', value: true }];
  return [
    {
      folder: 'openshift',
      fileName: 'cluster-scheduler-02-config.yml.patch_ai_set_masters_schedulable',
      content: stringifyForKubernetes(patch),
    },
  ];
}

function encryptedDisks(roles: readonly NodeRole[], choice: EncryptionChoice): readonly ManifestFile[] {
  const wanted = choice.roles.split(',');
  const isWanted = (role: NodeRole): boolean => wanted.includes('all') || wanted.includes(`${role}s`);
  const kind = choice.mode === 'tang' ? 'tang' : 'tpm';
  return roles
    .filter(isWanted)
    .map((role) =>
      manifest(
        'openshift',
        `99-openshift-${role}-${kind}-encryption.yaml`,
        machineConfig(role, `${role}-${kind}`, ...encryptedRoot(choice)),
      ),
    );
}
