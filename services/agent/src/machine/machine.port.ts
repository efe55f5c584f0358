import { createHash } from 'node:crypto';
import type { StepType, StepWork } from '../steps/step-work';

/** Values that identify a machine. Empty when the machine does not report them. */
export interface MachineIdentity {
  /** As in the firmware, with its letter case. */
  readonly baseboardSerial: string;
  readonly systemUuid: string;
  readonly systemSerial: string;
  /** Permanent addresses of all interfaces that have one. */
  readonly macAddresses: readonly string[];
  /** Changes with every boot. */
  readonly bootId: string;
}

/** Serial numbers that vendors use as placeholders. */
const MEANINGLESS_SERIALS: ReadonlySet<string> = new Set([
  '',
  'unknown',
  'none',
  '(none)',
  '-',
  'unspecified base board serial number',
  'unspecified system serial number',
  'default string',
  'not specified',
  'pca_number.acc',
]);
const MEANINGLESS_UUIDS: ReadonlySet<string> = new Set([
  '00000000-0000-0000-0000-000000000000',
  '03000200-0400-0500-0006-000700080009',
]);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Host id of machines without serial number, UUID and network card. They cannot be distinguished. */
const NAMELESS = 'deaddead-dead-dead-dead-deaddeaddead';

/** Returns the host id by the rule of assisted-installer-agent, so that a machine keeps its id with another agent. */
export function hostIdOf(identity: MachineIdentity): string {
  if (!MEANINGLESS_SERIALS.has(identity.baseboardSerial.toLowerCase())) return digestId(identity.baseboardSerial);
  const uuid = identity.systemUuid.toLowerCase();
  if (UUID.test(uuid) && !MEANINGLESS_UUIDS.has(uuid)) return uuid;
  const lowestMac = [...identity.macAddresses].sort()[0];
  return lowestMac ? digestId(lowestMac) : NAMELESS;
}

export const isUuid = (text: string): boolean => UUID.test(text.toLowerCase());

const digestId = (text: string): string =>
  createHash('md5')
    .update(text)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** The machine on which the agent runs, real or simulated. */
export interface Machine {
  identity(): Promise<MachineIdentity>;
  /** False when the discovery image cannot be read any more, because the virtual media was removed. */
  isMediaReadable(): Promise<boolean>;
  /** Whether the installer runs, also when an earlier process of the agent started it. */
  isInstalling(signal: AbortSignal): Promise<boolean>;
  /** Implementations of the steps. A step without one is answered with a reason. */
  readonly abilities: Abilities;
}

export type Abilities = { readonly [Type in StepType]?: Ability<Type> };
/**
 * Runs one step. Ends early when `signal` is aborted.
 * @throws StepFailed for a failure with an exit code
 */
export type Ability<Type extends StepType> = (
  order: StepWork[Type]['order'],
  signal: AbortSignal,
) => Promise<StepWork[Type]['result']>;

/** A step failed. */
export class StepFailed extends Error {
  constructor(
    reason: string,
    readonly exitCode = -1,
    /** Partial results. */
    readonly output = '',
  ) {
    super(reason);
    this.name = 'StepFailed';
  }
}
