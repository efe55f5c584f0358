import type { InfraEnvSettings, Owner, Plain } from '@muster/contracts';

/** ISO 8601 UTC with milliseconds: the only clock that a decision sees. */
interface At {
  readonly at: string;
}

export interface RegisterInfraEnv extends At {
  readonly type: 'Register';
  readonly infraEnvId: string;
  /** As the user gave them; defaults are filled in here. */
  readonly settings: Plain<InfraEnvSettings>;
  readonly owner: Plain<Owner>;
  readonly pullSecretSet: boolean;
}

export interface ReviseInfraEnv extends At {
  readonly type: 'Revise';
  /** Absent fields stay. */
  readonly changes: Plain<InfraEnvSettings>;
  readonly pullSecretReplaced: boolean;
}

/** Image URLs signed before stop working. */
export interface RotateSigningKey extends At {
  readonly type: 'RotateSigningKey';
}

export interface DeregisterInfraEnv extends At {
  readonly type: 'Deregister';
  /** Hosts that are registered in it. */
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
