import { isAtLeast } from '@muster/feature-support';
import { textAt } from '@muster/schema';
import { parse } from 'yaml';
import { type BareMetalHost, describeBareMetalHost, HOST_MANIFEST } from '../cluster-manifests/bare-metal-hosts';
import type { IgnitionConfig, IgnitionFile } from '../config/ignition-config';
import { fromDataUrl, MODE_READABLE, readTextFile, textFile } from '../config/ignition-file';
import { CLUSTER_FOLDER } from './bootstrap-input';

/** Login message during the bootstrap. */
export const BOOTSTRAP_MOTD: IgnitionFile = textFile(
  '/etc/motd',
  MODE_READABLE,
  `
This machine bootstraps a new cluster and then becomes one of its nodes.

Progress: journalctl --unit bootkube.service --follow

`,
);

/** A bootstrap host of several nodes. NetworkManager does not manage its name servers. */
export const MULTI_NODE_FILES: readonly IgnitionFile[] = [
  textFile(`${CLUSTER_FOLDER}/assisted-install-bootstrap`, MODE_READABLE, ''),
  textFile('/etc/NetworkManager/conf.d/99-kni.conf', MODE_READABLE, '[main]\nrc-manager=unmanaged\n'),
];

/** The first version that supports bare metal without a provisioning network. */
const PROVISIONING_OPTIONAL_SINCE = '4.7';
const PROVISIONING = `${CLUSTER_FOLDER}/manifests/baremetal-provisioning-config.yaml`;
const CLUSTER_VERSION = `${CLUSTER_FOLDER}/manifests/cvo-overrides.yaml`;

/** Returns the bootstrap config of a release with the changes that hosts of this service need, apart from their status. */
export function finishBootstrap(
  config: IgnitionConfig,
  { openshiftVersion, isSingleNode }: { readonly openshiftVersion: string; readonly isSingleNode: boolean },
): IgnitionConfig {
  const isDropped = ({ path }: IgnitionFile): boolean =>
    path.endsWith('.nmconnection') ||
    path === BOOTSTRAP_MOTD.path ||
    (path === PROVISIONING && !isAtLeast(openshiftVersion, PROVISIONING_OPTIONAL_SINCE));
  const files = (config.storage?.files ?? []).filter((file) => !isDropped(file));
  const added = [BOOTSTRAP_MOTD, ...(isSingleNode ? [] : MULTI_NODE_FILES)];
  return { ...config, storage: { ...config.storage, files: [...files, ...added] } };
}

/**
 * Returns a file of the bootstrap config with the status of the host that it describes; other files are returned unchanged. The YAML of
 * one host takes about 2 ms, and a cluster may have a thousand hosts.
 */
export function describeHostFile(file: IgnitionFile, hosts: readonly BareMetalHost[]): IgnitionFile {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1);
  if (!file.path.startsWith(CLUSTER_FOLDER) || !HOST_MANIFEST.test(name)) return file;
  const text = fromDataUrl(file.contents?.source ?? '');
  const described = text === undefined ? undefined : describeBareMetalHost(text, hosts);
  if (described === undefined || described === text) return file;
  return { ...file, contents: textFile(file.path, file.mode ?? 0, described).contents };
}

/** Returns the cluster id in a bootstrap config. Empty when it contains none. */
export function clusterIdIn(config: IgnitionConfig): string {
  return textAt(parse(readTextFile(config, CLUSTER_VERSION) ?? ''), 'spec', 'clusterID') ?? '';
}
