import type { ClusterSettings, HardwareFacts, Plain } from '@muster/contracts';
import type { FencingCredentials, ManifestFile, RegistryMirror } from '@muster/ignition-config';
import type { OperatorManifests } from '@muster/operators';
import type { DownloadProgress } from '@muster/ports';

/** Everything an installation is made from. Two orders that are alike give the same artifacts, with the same kept secrets. */
export interface InstallRequest {
  readonly clusterId: string;
  readonly attempt: number;
  /** ISO 8601. Certificates are valid from about then. */
  readonly startedAt: string;
  readonly settings: Plain<ClusterSettings>;
  /** JSON text; empty without any. */
  readonly installConfigOverrides: string;
  /** Those of the settings, else the networks that the bootstrap host is in. */
  readonly machineNetworks: readonly string[];
  /** From the cluster, else from every infra-env of its hosts. */
  readonly ntpServers: readonly string[];
  readonly hosts: readonly InstallHost[];
  /** Where images are found that are named otherwise. */
  readonly mirrors: readonly RegistryMirror[];
  /** JSON text; a secret. */
  readonly pullSecret: string;
  /** PEM of every infra-env whose hosts take part. */
  readonly additionalTrustBundle: string;
  /** Manifests of the chosen OLM operators and of their dependencies. */
  readonly operatorManifests: OperatorManifests;
  /** Manifests that are added to the generated ones, in this order: users, operators, service. */
  readonly manifests: readonly ManifestFile[];
  /** PEM of the authority of the service; empty when machines need none. */
  readonly serviceCaPem: string;
  /** Name of the installing program, as the cluster reports it. */
  readonly invoker: string;
  readonly bootstrapHostId: string;
}

export interface InstallHost {
  readonly hostId: string;
  readonly role: 'master' | 'worker' | 'arbiter';
  readonly hostname: string;
  /** Machine-config pool; that of the role unless the user chose another. */
  readonly pool: string;
  readonly installationDisk: string;
  /** MAC address of the first port with an address in a machine network; empty without such a port. */
  readonly bootMacAddress: string;
  readonly isLegacyBoot: boolean;
  /** It discovered itself from a system on its own disk. */
  readonly isPersistentBoot: boolean;
  /** First address in a machine network, without prefix length; empty when there is none. */
  readonly nodeAddress: string;
  /** An address of the network in which its kubelet has to choose one; empty when it may choose freely. */
  readonly nodeIpHint: string;
  readonly hasIpv6: boolean;
  /** Undefined before the first inventory. */
  readonly hardware: Plain<HardwareFacts> | undefined;
  /** Secrets. */
  readonly fencing?: FencingCredentials;
  /** JSON text of an Ignition config; empty without an override. */
  readonly ignitionOverride: string;
}

export interface MadeArtifact {
  readonly name: string;
  readonly content: Buffer;
  /**
   * Holds a key, a password or the pull secret; or may be the same text in two clusters, so that what one of them discards
   * must not be found by its content alone.
   */
  readonly isSecret: boolean;
}

/** The secret of that name, made and sealed by the first call; every later call finds that one. */
export type KeepSecret = (name: string, make: () => Promise<Buffer>) => Promise<Buffer>;

/** What a release image states. Images are references by digest; empty when the release has none. */
export interface ReadRelease {
  readonly releaseImage: string;
  readonly version: string;
  readonly machineConfigOperatorImage: string;
  readonly mustGatherImage: string;
  /** CoreOS build that the release installs; empty when it is not stated. */
  readonly coreosVersion: string;
}

/** Receives what a toolchain finds out while it works. */
export interface PreparationReport {
  /** Resolves when the release is recorded. */
  releaseRead(release: ReadRelease): Promise<void>;
  downloaded(progress: DownloadProgress): void;
}

/** One way of making what an installation needs. */
export interface Toolchain {
  readonly name: string;
  /** Names it gives to KeepSecret. */
  readonly keptSecrets: readonly string[];
  /** Throws ArtifactsRefused when the order itself cannot be carried out; any other error is worth another try. */
  make(order: InstallRequest, keep: KeepSecret, report: PreparationReport): Promise<MadeInstallation>;
}

/** The toolchain of each release. */
export interface Toolchains {
  /** @throws ArtifactsRefused when no toolchain of the settings may install the release. */
  of(releaseImage: string): Toolchain;
  /** The names that any toolchain gives to KeepSecret. */
  readonly keptSecrets: readonly string[];
}

export interface MadeInstallation {
  readonly openshiftClusterId: string;
  readonly artifacts: readonly MadeArtifact[];
}

/** The request cannot be executed; the message says what the user must change. */
export class ArtifactsRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ArtifactsRefused';
  }
}

export const TOOLCHAINS = Symbol('Toolchains');
