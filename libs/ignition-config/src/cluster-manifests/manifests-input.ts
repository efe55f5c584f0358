import { createReader } from '@muster/schema';
import { type Static, Type } from '@sinclair/typebox';
import type { InstallConfig } from '../install-config/install-config-input';

export const MANIFEST_FOLDERS = ['openshift', 'manifests'] as const;
export type ManifestFolder = (typeof MANIFEST_FOLDERS)[number];

/** A file with one or several manifests for the new cluster. */
export interface ManifestFile {
  readonly folder: ManifestFolder;
  readonly fileName: string;
  /** YAML or JSON text. */
  readonly content: string;
}

/** JSON is valid YAML. */
export const manifest = (folder: ManifestFolder, fileName: string, object: object): ManifestFile => ({
  folder,
  fileName,
  content: `${JSON.stringify(object, undefined, 2)}\n`,
});

/** The input of the generated manifests. Contains secrets. */
export interface ClusterManifestsInput {
  /** The final install-config with overrides. */
  readonly installConfig: InstallConfig;
  /** Id of the cluster in OpenShift: a UUID. */
  readonly openshiftClusterId: string;
  /** Prefix of the names of the cluster's resources. */
  readonly infraId: string;
  /** PEM. */
  readonly rootCaPem: string;
  readonly machineConfigServer: { readonly certificatePem: string; readonly privateKeyPem: string };
  /** bcrypt hash of the password of kubeadmin. */
  readonly kubeadminPasswordHash: string;
  /** Pointer configs by role as JSON text. */
  readonly pointers: ReadonlyMap<string, string>;
  /** Name of the installing program, which the cluster reports. */
  readonly invoker: string;
  readonly version: string;
}

/** A number that an override may give as text. */
const number = Type.Union([Type.Number(), Type.String()]);
const text = Type.String();
const optionalText = Type.Optional(text);

const POOL = Type.Object({ name: text, replicas: number, hyperthreading: optionalText });
const MIRRORS = Type.Array(Type.Object({ source: text, mirrors: Type.Array(text) }));

const PLATFORM = Type.Object({
  apiVIPs: Type.Optional(Type.Array(text)),
  ingressVIPs: Type.Optional(Type.Array(text)),
  loadBalancer: Type.Optional(Type.Object({})),
  PlatformName: optionalText,
  CloudControllerManager: optionalText,
});
export type PlatformView = Static<typeof PLATFORM>;

/** The members of an install-config that manifests contain. They have been validated before. */
const INSTALL_CONFIG = Type.Object({
  baseDomain: text,
  metadata: Type.Object({ name: text }),
  controlPlane: Type.Intersect([POOL, Type.Object({ fencing: Type.Optional(Type.Object({})) })]),
  compute: Type.Array(POOL),
  arbiter: Type.Optional(POOL),
  networking: Type.Object({
    networkType: text,
    clusterNetwork: Type.Array(Type.Object({ cidr: text, hostPrefix: number })),
    machineNetwork: Type.Array(Type.Object({ cidr: text })),
    serviceNetwork: Type.Array(text),
  }),
  platform: Type.Record(text, PLATFORM),
  proxy: Type.Optional(Type.Object({ httpProxy: optionalText, httpsProxy: optionalText, noProxy: optionalText })),
  pullSecret: text,
  sshKey: optionalText,
  additionalTrustBundle: optionalText,
  fips: Type.Optional(Type.Union([Type.Boolean(), text])),
  featureSet: optionalText,
  capabilities: Type.Optional(
    Type.Object({
      baselineCapabilitySet: optionalText,
      additionalEnabledCapabilities: Type.Optional(Type.Array(text)),
    }),
  ),
  cpuPartitioningMode: optionalText,
  imageDigestSources: Type.Optional(MIRRORS),
  imageContentSources: Type.Optional(MIRRORS),
});
export type InstallConfigView = Static<typeof INSTALL_CONFIG>;

/** @throws Error when the config lacks a member that manifests are made of */
export const viewOf: (config: InstallConfig) => InstallConfigView = createReader(INSTALL_CONFIG, {
  name: 'install-config',
  nullIsAbsent: true,
  hidesValues: true,
});
