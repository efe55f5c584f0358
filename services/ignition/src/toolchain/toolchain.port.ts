import type { ClusterSettings, HardwareFacts, Plain } from '@muster/contracts';
import type { ClusterState } from '@muster/domain';
import type { FencingCredentials, ManifestFile, RegistryMirror } from '@muster/ignition-config';
import type { OperatorManifests } from '@muster/operators';
import type { DownloadProgress } from '@muster/ports';

/** All inputs of an installation. Equal requests with equal kept secrets give equal artifacts. */
export interface InstallRequest {
  readonly clusterId: string;
  readonly attempt: number;
  /** ISO 8601. Certificates are valid from about this time. */
  readonly startedAt: string;
  readonly settings: Plain<ClusterSettings>;
  /** JSON text; empty without overrides. */
  readonly installConfigOverrides: string;
  /** Machine networks of the settings, otherwise the networks of the bootstrap host. */
  readonly machineNetworks: readonly string[];
  /** NTP servers of the cluster, otherwise those of all infra-envs of its hosts. */
  readonly ntpServers: readonly string[];
  readonly hosts: readonly InstallHost[];
  /** Locations of images that differ from their names. */
  readonly mirrors: readonly RegistryMirror[];
  /** JSON text; a secret. */
  readonly pullSecret: string;
  /** PEM of all infra-envs of the hosts. */
  readonly additionalTrustBundle: string;
  /** Manifests of the chosen OLM operators and of their dependencies. */
  readonly operatorManifests: OperatorManifests;
  /** Manifests that are added to the generated ones, in the order users, operators, service. */
  readonly manifests: readonly ManifestFile[];
  /** PEM of the certificate authority of the service; empty when hosts need none. */
  readonly serviceCaPem: string;
  /** Name of the installing program, as the cluster reports it. */
  readonly invoker: string;
  readonly bootstrapHostId: string;
  /** Lease blocks of VIPs that DHCP allocated; empty otherwise. */
  readonly vipLeases: ClusterState['vipLeases'];
}

export interface InstallHost {
  readonly hostId: string;
  readonly role: 'master' | 'worker' | 'arbiter';
  readonly hostname: string;
  /** Machine-config pool. It is that of the role unless the user set another. */
  readonly pool: string;
  readonly installationDisk: string;
  /** MAC address of the first port with an address in a machine network; empty without such a port. */
  readonly bootMacAddress: string;
  readonly isLegacyBoot: boolean;
  /** Whether the host runs its agent from a system on its own disk. */
  readonly isPersistentBoot: boolean;
  /**
   * Address in a machine network, without prefix length. With user-managed networking, a host outside of them has the
   * address of its default route. Empty when there is none.
   */
  readonly nodeAddress: string;
  /** An address of the network in which the kubelet must select its address; empty for any network. */
  readonly nodeIpHint: string;
  readonly hasIpv6: boolean;
  /** NTP sources that the host reported, also those that a user configured on the host itself. */
  readonly timeSources: readonly string[];
  /** Undefined before the first inventory. */
  readonly hardware: Plain<HardwareFacts> | undefined;
  /** Secrets. */
  readonly fencing?: FencingCredentials;
  /** JSON text of an Ignition config; empty without an override. */
  readonly ignitionOverride: string;
  /** OpenShift version of the image that the host runs, when it has an override. Its system reads the config. */
  readonly imageVersion?: string;
}

export interface MadeArtifact {
  readonly name: string;
  readonly content: Buffer;
  /**
   * Whether it contains a key, a password or the pull secret, or may be equal in two clusters. An artifact that is
   * stored by content could be discarded by another cluster.
   */
  readonly isSecret: boolean;
}

/** Returns the secret with that name. The first call creates and seals it; later calls return the same value. */
export type KeepSecret = (name: string, make: () => Promise<Buffer>) => Promise<Buffer>;

/** Metadata of a release image. Images are references by digest; empty when the release has none. */
export interface ReadRelease {
  readonly releaseImage: string;
  readonly version: string;
  readonly machineConfigOperatorImage: string;
  readonly mustGatherImage: string;
  /** Operating system of hosts. */
  readonly coreosImage: string;
  /** CoreOS build that the release installs; empty when it is not known. */
  readonly coreosVersion: string;
  /** RFC 3339. Start of reading the installer. */
  readonly startedAt: string;
  readonly installerWasCached: boolean;
  /** Time of extracting the installer, including its download. 0 when it was cached. */
  readonly extractSeconds: number;
}

export interface QueuedWork {
  /** Number of the report in the wait, from 1. There is one per minute. */
  readonly minute: number;
  /** Number of others that work, or whose turn comes first. */
  readonly ahead: number;
}

/** Receives the reports of a toolchain during its work, and ends the work. */
export interface PreparationReport {
  /** Aborts when the artifacts are no longer wanted. */
  readonly signal: AbortSignal;
  /** Resolves when the release is recorded. */
  releaseRead(release: ReadRelease): Promise<void>;
  readonly downloaded: (progress: DownloadProgress) => void;
  /** The work waits for its turn. */
  readonly queued: (wait: QueuedWork) => void;
}

/** A program that creates installation artifacts. */
export interface Toolchain {
  readonly name: string;
  /** Names that it passes to KeepSecret. */
  readonly keptSecrets: readonly string[];
  /** @throws ArtifactsRefused when the request itself cannot be executed; any other error is temporary */
  make(order: InstallRequest, keep: KeepSecret, report: PreparationReport): Promise<MadeInstallation>;
}

/** The toolchain of each release. */
export interface Toolchains {
  /** @throws ArtifactsRefused when the settings permit no toolchain for the release */
  of(releaseImage: string): Toolchain;
  /** The names that any toolchain passes to KeepSecret. */
  readonly keptSecrets: readonly string[];
}

export interface MadeInstallation {
  readonly openshiftClusterId: string;
  readonly artifacts: readonly MadeArtifact[];
}

/** The request cannot be executed. The message contains the remedy. */
export class ArtifactsRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ArtifactsRefused';
  }
}

export const TOOLCHAINS = Symbol('Toolchains');
