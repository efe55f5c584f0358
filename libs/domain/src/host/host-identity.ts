import type { MachineIdentity, Plain } from '@muster/contracts';
import type { HostState, IdentityConflict } from './host-state';
import { COMMITTED } from './host-status-groups';
import type { HostTimeouts } from './host-timeouts';

type Machine = Plain<MachineIdentity>;

/** True when both say which addresses they have and share none: boards with one serial number, cloned machines. */
export function isAnotherMachine(one: Machine | undefined, other: Machine | undefined): boolean {
  if (!one || !other || one.macAddresses.length === 0 || other.macAddresses.length === 0) return false;
  return !one.macAddresses.some((address) => other.macAddresses.includes(address));
}

export function isSameClaim(one: Machine | undefined, other: Machine): boolean {
  return (
    one !== undefined &&
    one.serialNumber === other.serialNumber &&
    one.bootId === other.bootId &&
    one.sourceAddress === other.sourceAddress &&
    one.macAddresses.length === other.macAddresses.length &&
    one.macAddresses.every((address, index) => address === other.macAddresses[index])
  );
}

/** True for the machine whose reports are not to be taken while a conflict lasts. */
export function isIntruder(state: HostState, machine: Machine): boolean {
  return state.conflict !== undefined && isAnotherMachine(state.conflict.known, machine);
}

/** The known machine counts as live when it claimed its id recently, or is taken by an installation that must not be disturbed. */
export function isKnownMachineLive(
  state: HostState,
  at: string,
  lastClaim: string | undefined,
  timeouts: HostTimeouts,
): boolean {
  if (COMMITTED.some((status) => status === state.status)) return true;
  return !state.isSilent && isRecent(lastClaim ?? state.machineClaimedAt, at, timeouts);
}

export function isRecent(claimedAt: string, at: string, timeouts: HostTimeouts): boolean {
  return claimedAt !== '' && Date.parse(at) - Date.parse(claimedAt) <= timeouts.identityClaimMs;
}

const describe = (machine: Machine): string =>
  `${machine.macAddresses.join(', ')}${machine.sourceAddress ? ` at ${machine.sourceAddress}` : ''}`;

const sentence = ({ known, intruder }: IdentityConflict): string =>
  `Two machines claim the id of this host: ${describe(known)} and ${describe(intruder)}. Give one of them another id or shut it down. `;

/** Puts the conflict before what else there is to say. */
export function withConflict(text: string, conflict: IdentityConflict | undefined): string {
  return conflict ? sentence(conflict) + text : text;
}

/** Takes it away again. */
export function withoutConflict(text: string, conflict: IdentityConflict | undefined): string {
  const prefix = conflict ? sentence(conflict) : '';
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}
