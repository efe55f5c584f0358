import type { ManifestFile } from '../cluster-manifests/manifest-file';
import type { ProxySettings } from '../discovery/discovery-input';

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
