import type { ManifestFile } from '../cluster-manifests/manifests-input';
import type { ProxySettings } from '../discovery/discovery-input';

/** Where everything about the new cluster lies on the bootstrap host. */
export const CLUSTER_FOLDER = '/opt/openshift';
export const DONE_PATH = `${CLUSTER_FOLDER}/.bootkube.done`;
/** For programs on the bootstrap host itself. */
export const LOOPBACK_KUBECONFIG = `${CLUSTER_FOLDER}/auth/kubeconfig-loopback`;
export const KUBECONFIG = `${CLUSTER_FOLDER}/auth/kubeconfig`;
export const SCRIPT_FOLDER = '/usr/local/bin';
export const RELEASE_FUNCTIONS = `${SCRIPT_FOLDER}/release-image.sh`;

/** Everything that lies on the bootstrap host. Holds secrets. */
export interface BootstrapInput {
  readonly releaseImage: string;
  readonly openshiftVersion: string;
  readonly isOkd: boolean;
  readonly isSingleNode: boolean;
  /** JSON text. */
  readonly pullSecret: string;
  readonly sshAuthorizedKey: string;
  readonly proxy: ProxySettings;
  /** PEM; empty when there is none. */
  readonly additionalTrustBundle: string;
  /** Certificates and keys by file name. */
  readonly tls: ReadonlyMap<string, string>;
  /** Kubeconfigs by file name. */
  readonly auth: ReadonlyMap<string, string>;
  /** Generated ones and added ones, as they are to be applied. */
  readonly manifests: readonly ManifestFile[];
}
