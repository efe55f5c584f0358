import type { HostEvent } from '@muster/contracts';

/**
 * How often a host was registered again, bound or unbound: reports and outcomes belong to one epoch. The count continues when
 * a host is deregistered, so that nothing of an earlier life counts in a later one.
 */
export function hostEpochAfter(epoch: number, event: HostEvent): number {
  switch (event.type) {
    case 'HostRegistered':
    case 'HostBound':
    case 'HostUnbound':
      return epoch + 1;
    case 'HostReregistered':
      return event.data.inventoryKept ? epoch : epoch + 1;
    default:
      return epoch;
  }
}
