import type { MachineIdentity, Plain } from '@muster/contracts';
import type { HostState } from './state';
import { COMMITTED } from './status';
import type { HostTimeouts } from './timeouts';

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
