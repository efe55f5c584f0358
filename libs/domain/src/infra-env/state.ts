import type { InfraEnvSettings, Owner, Plain } from '@muster/contracts';

/** An infra-env has no statuses on the wire: it is there or it is not. */
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
  /** How often the signing key was replaced; part of what an image URL is signed with. */
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
