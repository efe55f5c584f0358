import type { InfraEnvEvent, InfraEnvSettings, Owner, Plain } from '@muster/contracts';
import { unknownEvent } from '@muster/decision';
import { onlyPresent, selectMembers } from '@muster/schema';
import { isSameValue } from '../text-forms';

/** The internal statuses of an infra-env. The v2 API has none. */
export const INFRA_ENV_PHASES = ['unregistered', 'registered', 'deregistered'] as const;
export type InfraEnvPhase = (typeof INFRA_ENV_PHASES)[number];

export const IMAGE_TYPES = ['full-iso', 'minimal-iso', 'disconnected-iso'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

export interface InfraEnvState {
  readonly status: InfraEnvPhase;
  readonly infraEnvId: string;
  readonly owner: Plain<Owner>;
  readonly settings: Plain<InfraEnvSettings>;
  readonly pullSecretSet: boolean;
  /** How often the signing key was replaced. It is part of the signature of an image URL. */
  readonly signingKeyGeneration: number;
}

export const initialInfraEnvState = (): InfraEnvState => ({
  status: 'unregistered',
  infraEnvId: '',
  owner: { userName: '', orgId: '', emailDomain: '' },
  settings: {},
  pullSecretSet: false,
  signingKeyGeneration: 0,
});

type Settings = Plain<InfraEnvSettings>;

/** An empty value for these fields does not change them, because clients send every field of their form. */
const EMPTY_MEANS_UNCHANGED: ReadonlySet<string> = new Set<keyof Settings>(['sshAuthorizedKey', 'openshiftVersion']);
/** `ntp_sources` and `additional_ntp_sources` exclude each other: setting one clears the other. */
const NTP_FIELDS = ['ntpSources', 'additionalNtpSources'] as const;

/** The image type of an infra-env that is registered without an image type. */
export const defaultImageType = (cluster: { readonly kind: string } | undefined): string =>
  cluster?.kind === 'DisconnectedCluster' ? 'disconnected-iso' : 'full-iso';

export function withInfraEnvDefaults(given: Settings): Settings {
  return {
    ...given,
    clusterId: given.clusterId ?? '',
    imageType: given.imageType || defaultImageType(undefined),
    cpuArchitecture: given.cpuArchitecture || 'x86_64',
  };
}

/** Returns `settings` with `changes` applied: absent fields do not change. */
export function mergeInfraEnvSettings(settings: Settings, changes: Settings): Settings {
  return { ...settings, ...onlyPresent(changes) };
}

/** Returns the changes of a revision that differ from the current settings. */
export function infraEnvChanges(before: Settings, given: Settings): Settings {
  const changes: Settings = { ...switchedNtp(before, given), ...onlyPresent(given) };
  return selectMembers(changes, (field) => {
    const value = changes[field];
    return !(value === '' && EMPTY_MEANS_UNCHANGED.has(field)) && !isSameValue(before[field] ?? '', value);
  });
}

function switchedNtp(before: Settings, given: Settings): Settings {
  const [named] = NTP_FIELDS.filter((field) => given[field]);
  const other = NTP_FIELDS.find((field) => field !== named);
  return named && other && given[other] === undefined && before[other] ? { [other]: '' } : {};
}

/** Returns the state after one more event. */
export function evolveInfraEnv(state: InfraEnvState, event: InfraEnvEvent): InfraEnvState {
  switch (event.type) {
    case 'InfraEnvRegistered':
      return {
        ...state,
        status: 'registered',
        infraEnvId: event.data.infraEnvId,
        owner: event.data.owner ?? state.owner,
        settings: event.data.settings ?? {},
        pullSecretSet: event.data.pullSecretSet,
      };
    case 'InfraEnvSettingsRevised':
      return {
        ...state,
        settings: mergeInfraEnvSettings(state.settings, event.data.changes ?? {}),
        pullSecretSet: state.pullSecretSet || event.data.pullSecretReplaced,
      };
    case 'ImageSigningKeyRotated':
      return { ...state, signingKeyGeneration: state.signingKeyGeneration + 1 };
    case 'InfraEnvDeregistered':
      return { ...state, status: 'deregistered' };
    default:
      return unknownEvent(state, event);
  }
}
