import type { ClusterSettings, MonitoredOperator, Plain } from '@muster/contracts';
import type { ReviseCluster } from './commands';
import { PLATFORMS_WITH_USER_NETWORKING } from './defaults';
import { withBuiltInOperators } from './operators';
import type { ClusterState } from './state';
import { isSameValue } from '../input/same-value';

type Settings = Plain<ClusterSettings>;

/** No status forbids these: they concern the console, or the next preparation. */
const CHANGEABLE_AT_ANY_TIME: ReadonlySet<string> = new Set<keyof Settings>(['installConfigOverrides', 'uiSettings']);
const IGNORED_VALIDATIONS: ReadonlySet<string> = new Set<keyof Settings>([
  'ignoredHostValidations',
  'ignoredClusterValidations',
  'ignoredValidationsReason',
]);

export interface ClusterRevision {
  /** Only what differs, with what follows from it. */
  readonly changes: Settings;
  /** Undefined when the monitored operators stay. */
  readonly operators: readonly Plain<MonitoredOperator>[] | undefined;
  readonly kind: 'none' | 'any-time' | 'ignored-validations' | 'settings';
}

/** `changes` over `settings`: what is absent stays, lists are replaced. */
export function mergeClusterSettings(settings: Settings, changes: Settings): Settings {
  return { ...settings, ...presentOf(changes) };
}

/** What a revision really changes. */
export function revisionOf(
  state: ClusterState,
  command: ReviseCluster,
  monitorsClusterVersion: boolean,
): ClusterRevision {
  const changes = differing(state.settings, withConsequences(state, presentOf(command.changes)));
  const operators = revisedOperators(state, command, changes, monitorsClusterVersion);
  const fields = Object.keys(changes);
  const areAll = (set: ReadonlySet<string>): boolean => fields.every((field) => set.has(field));
  if (fields.length === 0 && !command.pullSecretReplaced && !operators) return { changes, operators, kind: 'none' };
  if (command.pullSecretReplaced || fields.length === 0) return { changes, operators, kind: 'settings' };
  if (areAll(CHANGEABLE_AT_ANY_TIME)) return { changes, operators, kind: 'any-time' };
  return { changes, operators, kind: areAll(IGNORED_VALIDATIONS) ? 'ignored-validations' : 'settings' };
}

function presentOf(changes: Settings): Settings {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Settings;
}

function differing(settings: Settings, changes: Settings): Settings {
  const before = settings as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(changes).filter(([field, value]) => !isSameValue(before[field], value)),
  ) as Settings;
}

/** What a change takes along. */
function withConsequences(state: ClusterState, changes: Settings): Settings {
  return { ...ntpConsequences(state.settings, changes), ...networkConsequences(state, changes) };
}

/** The two ways of naming NTP sources exclude each other: setting one clears the other. */
function ntpConsequences(before: Settings, { ntpSources, additionalNtpSource }: Settings): Settings {
  if (ntpSources && before.additionalNtpSource) return { additionalNtpSource: '' };
  return additionalNtpSource && before.ntpSources ? { ntpSources: '' } : {};
}

/** Platform, user-managed networking and VIPs hang together: a change of one takes along what it makes meaningless. */
function networkConsequences(state: ClusterState, changes: Settings): Settings {
  const userManaged = changes.userManagedNetworking ?? networkingOf(changes.platformType);
  const isMultiNode = state.settings.controlPlaneCount !== 1;
  const empty = { items: [] };
  if (userManaged === true && !state.settings.userManagedNetworking)
    return {
      platformType: 'none',
      ...(isMultiNode ? { apiVips: empty, ingressVips: empty, machineNetworks: empty } : {}),
      vipDhcpAllocation: false,
      ...changes,
      userManagedNetworking: true,
    };
  if (userManaged === false && state.settings.userManagedNetworking)
    return { platformType: 'baremetal', ...changes, userManagedNetworking: false };
  // Addresses that were leased and those that were given do not mix.
  if (
    changes.vipDhcpAllocation !== undefined &&
    changes.vipDhcpAllocation !== (state.settings.vipDhcpAllocation ?? false)
  )
    return { apiVips: empty, ingressVips: empty, machineNetworks: empty, ...changes };
  return changes;
}

function networkingOf(platformType: string | undefined): boolean | undefined {
  return platformType === undefined ? undefined : PLATFORMS_WITH_USER_NETWORKING.includes(platformType);
}

/** Reports of operators that stay chosen are kept. Once hosts install, what is waited for is settled. */
function revisedOperators(
  state: ClusterState,
  command: ReviseCluster,
  changes: Settings,
  monitorsClusterVersion: boolean,
): readonly Plain<MonitoredOperator>[] | undefined {
  const isOpen = ['pending-for-input', 'insufficient', 'ready'].includes(state.status);
  const mayMatter = command.olmOperators || changes.installConfigOverrides !== undefined || changes.openshiftVersion;
  if (!isOpen || !mayMatter) return undefined;
  const olm = command.olmOperators ?? state.operators.filter(({ operatorType }) => operatorType === 'olm');
  const settings = mergeClusterSettings(state.settings, changes);
  const known = new Map(state.operators.map((operator) => [operator.name, operator]));
  const operators = withBuiltInOperators(state.kind, settings, olm, monitorsClusterVersion).map((operator) => {
    const { status, statusInfo, version } = known.get(operator.name) ?? operator;
    return { ...operator, status, statusInfo, version };
  });
  return isSameValue(operators, state.operators) ? undefined : operators;
}
