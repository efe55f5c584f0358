import type { BundleId } from './bundle-ids';
import type { OperatorClaim } from './operator-claim';
import type { OperatorCluster, OperatorHost } from './operator-facts';
import type { OperatorSetting } from './operator-settings';

/** What an operator needs of a machine beside what OpenShift itself needs. */
export interface ExtraResources {
  readonly cpuCores: number;
  readonly ramMib: number;
}
export const NOTHING: ExtraResources = { cpuCores: 0, ramMib: 0 };
export const MIB_PER_GIB = 1024;

/** What can be said of a role before any machine is known. */
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

/** Where the catalogue of a cluster has the operator. */
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

/** One side of what an operator checks. */
export interface OperatorCheck<Subject extends readonly unknown[]> {
  /** A sentence for the reference page, with the numbers. */
  readonly checks: string;
  readonly claim: (...subject: Subject) => OperatorClaim;
  readonly remedy: string;
}

export interface BundleMembership {
  readonly id: BundleId;
  /** The user may omit it from the bundle. */
  readonly isOptional?: true;
}

/** Everything the system knows of one OLM operator: one folder, one such value. */
export interface OperatorPlugin<Name extends string = string> {
  /** As on the wire. */
  readonly name: Name;
  readonly title: string;
  /** Other names that clients send. They are translated to `name`. */
  readonly aliases?: readonly string[];
  /** `feature-support-level-id` of the contract. */
  readonly featureId: string;
  /** Names of operators that have to be there too. */
  readonly dependencies: (cluster: Pick<OperatorCluster, 'isSingleNode'>) => readonly string[];
  readonly bundles: (cluster: Pick<OperatorCluster, 'isSingleNode'>) => readonly BundleMembership[];
  readonly properties: readonly OperatorProperty[];
  readonly settings: readonly OperatorSetting[];
  readonly installation: (cluster: Pick<OperatorCluster, 'release' | 'settings'>) => OperatorInstallation;
  /** How long it may take to become available once the cluster is up. */
  readonly timeoutSeconds: number;

  /** Undefined: it asks for nothing beyond OpenShift itself. */
  readonly resources?: (host: OperatorHost, cluster: OperatorCluster) => ExtraResources;
  /** Requirements per role before machines are known. */
  readonly preview?: (
    role: 'master' | 'worker',
    cluster: Pick<OperatorCluster, 'isSingleNode' | 'release' | 'settings'>,
  ) => RolePreview;
  /** Decimal GB by which every disk for storage has to be larger when this operator keeps its data there. */
  readonly storedGb?: (cluster: Pick<OperatorCluster, 'isSingleNode'>) => number;
  readonly host?: OperatorCheck<readonly [host: OperatorHost, cluster: OperatorCluster]>;
  readonly cluster?: OperatorCheck<readonly [hosts: readonly OperatorHost[], cluster: OperatorCluster]>;
  /** A host is suggested as control plane only if it meets this operator as such. */
  readonly decidesControlPlane?: true;

  /** Objects that exist from the start: namespace, group, subscription, by the end of their file names. */
  readonly manifests: (cluster: OperatorCluster) => readonly NamedManifest[];
  /** Objects that need the operator's own types, applied once it runs. */
  readonly laterManifests?: (hosts: readonly OperatorHost[], cluster: OperatorCluster) => readonly ManifestObject[];
}

export interface NamedManifest {
  /** Whole file name. */
  readonly fileName: string;
  readonly object: ManifestObject;
}

/** Keeps the name as a literal type, so that the ids of the contract follow from the plug-ins. */
export const operatorPlugin = <const Name extends string>(plugin: OperatorPlugin<Name>): OperatorPlugin<Name> => plugin;

const OLM_TIMEOUT_SECONDS = 1_800;
export const LONG_TIMEOUT_SECONDS = 3_600;

/** What most operators have in common. */
export const PLAIN = {
  dependencies: () => [],
  bundles: () => [],
  properties: [],
  settings: [],
  timeoutSeconds: OLM_TIMEOUT_SECONDS,
} satisfies Partial<OperatorPlugin>;
