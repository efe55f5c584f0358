import type { ClusterState } from '../cluster/state';
import type { InfraEnvSettings, Plain } from '@muster/contracts';
import { isSameValue } from '../input/same-value';

type Settings = Plain<InfraEnvSettings>;

/** Of these an empty text means "as before": clients send every field of their form. */
const EMPTY_MEANS_UNCHANGED: ReadonlySet<string> = new Set<keyof Settings>([
  'sshAuthorizedKey',
  'openshiftVersion',
  'ignitionConfigOverride',
]);
/** Naming sources in one of the two ways takes back the other. */
const NTP_FIELDS = ['ntpSources', 'additionalNtpSources'] as const;

/** The image type of an infra-env that is registered without one. */
export const defaultImageType = (cluster: Pick<ClusterState, 'kind'> | undefined): string =>
  cluster?.kind === 'DisconnectedCluster' ? 'disconnected-iso' : 'full-iso';

export function withInfraEnvDefaults(given: Settings): Settings {
  return {
    ...given,
    clusterId: given.clusterId ?? '',
    imageType: given.imageType || defaultImageType(undefined),
    cpuArchitecture: given.cpuArchitecture || 'x86_64',
  };
}

/** `changes` over `settings`: what is absent stays. */
export function mergeInfraEnvSettings(settings: Settings, changes: Settings): Settings {
  return { ...settings, ...onlyPresent(changes) };
}

/** What of a revision differs from what is. */
export function infraEnvChanges(before: Settings, given: Settings): Settings {
  const known = before as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries({ ...switchedNtp(before, given), ...onlyPresent(given) }).filter(
      ([field, value]) =>
        !(value === '' && EMPTY_MEANS_UNCHANGED.has(field)) && !isSameValue(known[field] ?? '', value),
    ),
  ) as Settings;
}

function switchedNtp(before: Settings, given: Settings): Settings {
  const [named] = NTP_FIELDS.filter((field) => given[field]);
  const other = NTP_FIELDS.find((field) => field !== named);
  return named && other && given[other] === undefined && before[other] ? { [other]: '' } : {};
}

function onlyPresent(changes: Settings): Settings {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Settings;
}
