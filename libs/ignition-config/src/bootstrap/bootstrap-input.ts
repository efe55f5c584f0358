import type { ManifestFile } from '../cluster-manifests/manifests-input';
import type { ProxySettings } from '../discovery/discovery-input';

/** The folder with the files of the new cluster on the bootstrap host. */
export const CLUSTER_FOLDER = '/opt/openshift';
export const DONE_PATH = `${CLUSTER_FOLDER}/.bootkube.done`;
/** Kubeconfig for programs on the bootstrap host. */
export const LOOPBACK_KUBECONFIG = `${CLUSTER_FOLDER}/auth/kubeconfig-loopback`;
export const KUBECONFIG = `${CLUSTER_FOLDER}/auth/kubeconfig`;
export const SCRIPT_FOLDER = '/usr/local/bin';
export const RELEASE_FUNCTIONS = `${SCRIPT_FOLDER}/release-image.sh`;

/** The input of the bootstrap host's config. Contains secrets. */
export interface BootstrapInput {
  readonly releaseImage: string;
  readonly openshiftVersion: string;
  readonly isOkd: boolean;
  readonly isSingleNode: boolean;
  /** JSON text. */
  readonly pullSecret: string;
  readonly sshAuthorizedKey: string;
  readonly proxy: ProxySettings;
  /** PEM. Empty when there is none. */
  readonly additionalTrustBundle: string;
  /** Certificates and keys by file name. */
  readonly tls: ReadonlyMap<string, string>;
  /** Kubeconfigs by file name. */
  readonly auth: ReadonlyMap<string, string>;
  /** Generated and added manifests in the form in which they are applied. */
  readonly manifests: readonly ManifestFile[];
}
