import type { OperatorClaim } from './operator-claim';
import type { OperatorCluster, OperatorHost } from './operator-facts';
import type { OperatorSetting } from './operator-settings';

/** Sets of operators that are selected together. */
export interface BundleKind {
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

export const BUNDLE_KINDS = [
  {
    id: 'virtualization',
    title: 'Virtualization',
    description: 'Virtual machines next to containers, with operators for high availability and migration.',
  },
  {
    id: 'openshift-ai',
    title: 'OpenShift AI',
    description: 'Training, serving and monitoring of models, with the required storage and accelerators.',
  },
] as const satisfies readonly BundleKind[];
export type BundleId = (typeof BUNDLE_KINDS)[number]['id'];

/** Resources that an operator requires on a machine in addition to OpenShift. */
export interface ExtraResources {
  readonly cpuCores: number;
  readonly ramMib: number;
}
export const NOTHING: ExtraResources = { cpuCores: 0, ramMib: 0 };
export const MIB_PER_GIB = 1024;

/** Requirements of a role that do not depend on the machine. */
export interface RolePreview extends ExtraResources {
  /** Requirements that depend on the machines, as sentences. */
  readonly descriptions: readonly string[];
}
export const NOTHING_AHEAD: RolePreview = { ...NOTHING, descriptions: [] };

/** A Kubernetes object. */
export type ManifestObject = Readonly<Record<string, unknown>>;

export interface OperatorInstallation {
  readonly namespace: string;
  readonly subscriptionName: string;
}

/** The location of the operator in the catalogue of a cluster. */
export interface OperatorPackage {
  readonly name: string;
  readonly source: 'redhat-operators' | 'certified-operators' | 'community-operators';
  /** Undefined: the catalogue's default channel. */
  readonly channel?: string;
}

export interface OperatorProperty {
  readonly name: string;
  readonly dataType: 'boolean' | 'string' | 'integer' | 'float';
  readonly mandatory: boolean;
  readonly options: readonly string[];
  readonly description: string;
  readonly defaultValue: string;
}

/** The check of an operator for hosts or for clusters. */
export interface OperatorCheck<Subject extends readonly unknown[]> {
  /** A sentence for the reference page, with the limits. */
  readonly checks: string;
  readonly claim: (...subject: Subject) => OperatorClaim;
  readonly remedy: string;
}

export interface BundleMembership {
  readonly id: BundleId;
  /** The user may omit it from the bundle. */
  readonly isOptional?: true;
}

/** All data about one OLM operator. */
export interface OperatorPlugin<Name extends string = string> {
  /** The name in the v2 API. */
  readonly name: Name;
  readonly title: string;
  /** Other names that clients send. They are converted to `name`. */
  readonly aliases?: readonly string[];
  /** `feature-support-level-id` of the v2 API. */
  readonly featureId: string;
  /** Names of the operators that it requires. */
  readonly dependencies: (cluster: Pick<OperatorCluster, 'isSingleNode'>) => readonly string[];
  readonly bundles: (cluster: Pick<OperatorCluster, 'isSingleNode'>) => readonly BundleMembership[];
  readonly properties: readonly OperatorProperty[];
  readonly settings: readonly OperatorSetting[];
  readonly installation: (cluster: Pick<OperatorCluster, 'release' | 'settings'>) => OperatorInstallation;
  /** Timeout until it is available, in seconds. */
  readonly timeoutSeconds: number;

  /** Undefined: it requires no additional resources. */
  readonly resources?: (host: OperatorHost, cluster: OperatorCluster) => ExtraResources;
  /** Requirements per role that are returned before machines are registered. */
  readonly preview?: (
    role: 'master' | 'worker',
    cluster: Pick<OperatorCluster, 'isSingleNode' | 'release' | 'settings'>,
  ) => RolePreview;
  /** Decimal GB by which every storage disk must be larger when this operator stores its data there. */
  readonly storedGb?: (cluster: Pick<OperatorCluster, 'isSingleNode'>) => number;
  readonly host?: OperatorCheck<readonly [host: OperatorHost, cluster: OperatorCluster]>;
  readonly cluster?: OperatorCheck<readonly [hosts: readonly OperatorHost[], cluster: OperatorCluster]>;
  /** A host is suggested as control plane only if it meets the requirements of this operator. */
  readonly decidesControlPlane?: true;

  /**
   * Objects that are applied during the bootstrap: namespace, operator group, subscription, by the suffix of their file
   * names.
   */
  readonly manifests: (cluster: OperatorCluster) => readonly NamedManifest[];
  /** Objects of the operator's custom types, which are applied after it runs. */
  readonly laterManifests?: (hosts: readonly OperatorHost[], cluster: OperatorCluster) => readonly ManifestObject[];
  /** Objects of types that exist only after `laterManifests` are in effect. They are applied after all others. */
  readonly lastManifests?: (cluster: OperatorCluster) => readonly ManifestObject[];
}

export interface NamedManifest {
  /** Complete file name. */
  readonly fileName: string;
  readonly object: ManifestObject;
}

/** Keeps the name as a literal type, so that the ids of the v2 API are derived from the plug-ins. */
export const operatorPlugin = <const Name extends string>(plugin: OperatorPlugin<Name>): OperatorPlugin<Name> => plugin;

const OLM_TIMEOUT_SECONDS = 1_800;
export const LONG_TIMEOUT_SECONDS = 3_600;

/** Default values that most operators share. */
export const PLAIN = {
  dependencies: () => [],
  bundles: () => [],
  properties: [],
  settings: [],
  timeoutSeconds: OLM_TIMEOUT_SECONDS,
} satisfies Partial<OperatorPlugin>;
