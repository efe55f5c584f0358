import type { ClusterSettings, MonitoredOperator, Plain } from '@muster/contracts';
import { isAtLeast } from '@muster/validation-rules';
import { isJsonObject, parseJson } from '../input/text-forms';
import type { ClusterKind } from './cluster-status';

type Settings = Plain<ClusterSettings>;
type Operator = Plain<MonitoredOperator>;

const BUILT_IN_TIMEOUT_SECONDS = 3_600;
/** From here on a cluster can be installed without a console. */
const CONSOLE_IS_A_CHOICE_SINCE = '4.12';

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

/** What the installation of a cluster waits for; clusters that are not installed here wait for nothing. */
export function withBuiltInOperators(
  kind: ClusterKind,
  settings: Settings,
  olmOperators: readonly Operator[],
  monitorsClusterVersion: boolean,
): readonly Operator[] {
  if (kind !== 'Cluster') return [];
  return [
    ...(hasConsole(settings) ? [builtIn('console')] : []),
    ...(monitorsClusterVersion ? [builtIn('cvo')] : []),
    ...olmOperators,
  ];
}

/** False when the install-config overrides leave the console out of the cluster. */
export function hasConsole(settings: Settings): boolean {
  if (!settings.installConfigOverrides || !isAtLeast(settings.openshiftVersion ?? '', CONSOLE_IS_A_CHOICE_SINCE))
    return true;
  const overrides = parseJson(settings.installConfigOverrides);
  const capabilities = isJsonObject(overrides) ? overrides['capabilities'] : undefined;
  if (!isJsonObject(capabilities)) return true;
  const { baselineCapabilitySet, additionalEnabledCapabilities } = capabilities;
  if (baselineCapabilitySet !== 'None') return true;
  return Array.isArray(additionalEnabledCapabilities) && additionalEnabledCapabilities.includes('Console');
}
