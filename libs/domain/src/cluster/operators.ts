import type { ClusterSettings, MonitoredOperator, OperatorBundleList, Plain } from '@muster/contracts';
import { checkInstallConfigOverride } from '@muster/ignition-config';
import { chooseOperators } from '@muster/operators';
import type { Refusal } from '@muster/problems';
import { isObject, textAt } from '@muster/schema';
import { isAtLeast } from '@muster/validation-rules';
import type { ClusterKind } from './state';

type Settings = Plain<ClusterSettings>;
type Operator = Plain<MonitoredOperator>;

const BUILT_IN_TIMEOUT_SECONDS = 3_600;
/** Longer than any network type. Events have a limited size, and the overrides may contain any text. */
const NETWORK_TYPE_CHARACTERS_MAX = 64;
/** Name of the cluster-version operator among the monitored ones. */
const CLUSTER_VERSION = 'cvo';
/** The first version that can be installed without a console. */
const OPTIONAL_CONSOLE_SINCE = '4.12';

const builtIn = (name: string): Operator => ({
  name,
  operatorType: 'builtin',
  version: '',
  status: '',
  statusInfo: '',
  timeoutSeconds: BUILT_IN_TIMEOUT_SECONDS,
  namespace: '',
  subscriptionName: '',
  bundles: [],
  sourceBundles: [],
});

/**
 * Returns the operators that the installation of a cluster waits for. Clusters that are not installed by this service
 * have none.
 */
export function withBuiltInOperators(
  kind: ClusterKind,
  settings: Settings,
  olmOperators: readonly Operator[],
  monitorsClusterVersion: boolean,
): readonly Operator[] {
  if (kind !== 'Cluster') return [];
  return [
    ...(hasConsole(settings) ? [builtIn('console')] : []),
    ...(monitorsClusterVersion ? [builtIn(CLUSTER_VERSION)] : []),
    ...olmOperators,
  ];
}

/** Whether the installation of the cluster waits for the cluster-version operator. The setting may have changed since its registration. */
export const waitsForClusterVersion = (cluster: { readonly operators: readonly Pick<Operator, 'name'>[] }): boolean =>
  cluster.operators.some(({ name }) => name === CLUSTER_VERSION);

/** Returns false when the install-config overrides omit the console. */
export const hasConsole = ({ installConfigOverrides, openshiftVersion }: Settings): boolean =>
  !installConfigOverrides?.omitsConsole || !isAtLeast(openshiftVersion ?? '', OPTIONAL_CONSOLE_SINCE);

export type ReadOverrides =
  | {
      readonly kind: 'read';
      readonly omitsConsole: boolean;
      readonly isFips: boolean;
      /** Undefined when the overrides do not set it. */
      readonly networkType: string | undefined;
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** Returns the values that later decisions need from the install-config overrides, which are stored sealed. */
export function readInstallConfigOverrides(text: string): ReadOverrides {
  const parsed = checkInstallConfigOverride(text);
  if (parsed.kind === 'refused') return parsed;
  const { capabilities, fips, networking } = parsed.override;
  return {
    kind: 'read',
    omitsConsole: omitsConsole(capabilities),
    isFips: fips === true,
    networkType: textAt(networking, 'networkType')?.slice(0, NETWORK_TYPE_CHARACTERS_MAX),
  };
}

/** Capability sets without the console. v4.11 was defined before the console became a capability. */
const SETS_WITHOUT_CONSOLE: ReadonlySet<unknown> = new Set(['None', 'v4.11']);

function omitsConsole(capabilities: unknown): boolean {
  if (!isObject(capabilities)) return false;
  const { baselineCapabilitySet, additionalEnabledCapabilities } = capabilities;
  if (!SETS_WITHOUT_CONSOLE.has(baselineCapabilitySet)) return false;
  return !Array.isArray(additionalEnabledCapabilities) || !additionalEnabledCapabilities.includes('Console');
}

export type OperatorDecision =
  | { readonly kind: 'chosen'; readonly choices: NonNullable<Settings['olmOperators']> }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Returns whether the settings describe a single node, by the count or by `high_availability_mode`. */
export const isSingleNodeRequested = ({ controlPlaneCount, highAvailabilityMode }: Settings): boolean =>
  controlPlaneCount === 1 || highAvailabilityMode === 'None';

/**
 * Returns the operators that a user selected, individually and in bundles, in their stored form. Returns a refusal when
 * a name is unknown.
 */
export function decideOperators(
  given: Settings,
  bundles: Plain<OperatorBundleList> | undefined,
  cluster: { readonly isSingleNode: boolean },
): OperatorDecision {
  const chosen = chooseOperators(
    given.olmOperators?.items ?? [],
    (bundles?.items ?? []).map(({ id, optionalOperators }) => ({ id, optionalOperators: optionalOperators?.items })),
    cluster,
  );
  if (chosen.kind === 'refused') {
    const { reason, subject, allowed } = chosen;
    return { kind: 'refused', refusal: { code: 'invalid-input', reason, subject, allowed } };
  }
  const items = chosen.operators.map((choice) => ({ ...choice, sourceBundles: [...choice.sourceBundles] }));
  return { kind: 'chosen', choices: { items } };
}
