import type { InfraEnvSettings, Owner, Plain } from '@muster/contracts';

/** ISO 8601 UTC with milliseconds. A decision reads no other clock. */
interface At {
  readonly at: string;
}

export interface RegisterInfraEnv extends At {
  readonly type: 'Register';
  readonly infraEnvId: string;
  /** As the user set them. The decider adds the defaults. */
  readonly settings: Plain<InfraEnvSettings>;
  readonly owner: Plain<Owner>;
  readonly pullSecretSet: boolean;
}

export interface ReviseInfraEnv extends At {
  readonly type: 'Revise';
  /** Absent fields do not change. */
  readonly changes: Plain<InfraEnvSettings>;
  readonly pullSecretReplaced: boolean;
}

/** Replaces the signing key. Image URLs that were signed earlier stop working. */
export interface RotateSigningKey extends At {
  readonly type: 'RotateSigningKey';
}

export interface DeregisterInfraEnv extends At {
  readonly type: 'Deregister';
  /** Number of hosts that are registered in the infra-env. */
  readonly hostCount: number;
}

export type InfraEnvCommand = RegisterInfraEnv | ReviseInfraEnv | RotateSigningKey | DeregisterInfraEnv;
export type InfraEnvCommandType = InfraEnvCommand['type'];

export const INFRA_ENV_COMMANDS = [
  'Register',
  'Revise',
  'RotateSigningKey',
  'Deregister',
] as const satisfies readonly InfraEnvCommandType[];
