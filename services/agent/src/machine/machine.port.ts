import { createHash } from 'node:crypto';
import type { StepType, StepWork } from '../steps/step-work';

/** What tells one machine from another. Empty where the machine does not say. */
export interface MachineIdentity {
  /** As the firmware gives it, letter case kept. */
  readonly baseboardSerial: string;
  readonly systemUuid: string;
  readonly systemSerial: string;
  /** Permanent addresses of all interfaces that have one. */
  readonly macAddresses: readonly string[];
  /** Changes with every boot. */
  readonly bootId: string;
}

/** Serial numbers that vendors leave in the board when they do not set one. */
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
/** A machine without serial number, UUID and network card: all such machines look the same. */
const NAMELESS = 'deaddead-dead-dead-dead-deaddeaddead';

/** The host id of a machine; the same rule as assisted-installer-agent, so that a machine keeps its id when its agent changes. */
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

/** What the agent runs on: a real machine, or one that is played. */
export interface Machine {
  identity(): Promise<MachineIdentity>;
  /** False once the discovery image that the machine runs from cannot be read any more (virtual media was taken away). */
  isMediaReadable(): Promise<boolean>;
  /** What the machine can do, by step type. A type that is missing is answered with a reason instead of a result. */
  readonly abilities: Abilities;
}

export type Abilities = { readonly [Type in StepType]?: Ability<Type> };
/** Does one step. Throws StepFailed for a failure that has an exit code; ends early when `signal` is aborted. */
export type Ability<Type extends StepType> = (
  order: StepWork[Type]['order'],
  signal: AbortSignal,
) => Promise<StepWork[Type]['result']>;

/** A step came to an end without what was asked for. */
export class StepFailed extends Error {
  constructor(
    reason: string,
    readonly exitCode = -1,
    /** What was found out nevertheless. */
    readonly output = '',
  ) {
    super(reason);
    this.name = 'StepFailed';
  }
}
