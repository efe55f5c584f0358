import { ShapeError } from '../shapes/shape';
import { digestOf, toCanonicalJson } from '../shapes/canonical-json';
import { toHardwareFacts } from './hardware-facts';
import { type Inventory, inventoryShape } from './inventory.shape';
import { parseOutput, toBody, toStoredBody } from './parse-output';
import type { ReportReader } from './report';

/** No more fits into a message of the bus. */
const MAX_INVENTORY_BYTES = 8 * 1024 * 1024;
const REAL_INTERFACE_TYPES = ['', 'physical', 'vlan', 'bond'];

/** The inventory step. Virtual interfaces (bridges, tunnels of containers) are left out unless `keepsVirtualInterfaces`. */
export function inventoryReader(keepsVirtualInterfaces: boolean): ReportReader {
  return {
    stepType: 'inventory',
    maxBytes: MAX_INVENTORY_BYTES,
    read: ({ hostKey, output, epoch }) => {
      const inventory = completed(parseOutput(output, inventoryShape, 'inventory'), keepsVirtualInterfaces);
      const body = toBody(inventory);
      return {
        body,
        event: {
          type: 'InventoryReported',
          data: {
            hostKey,
            body: toStoredBody(body),
            hardware: toHardwareFacts(inventory),
            epoch,
            fingerprint: fingerprintOf(inventory),
          },
        },
      };
    },
  };
}

/** Nothing can be judged without CPU and memory, unless the agent itself had to leave everything out. */
function completed(inventory: Inventory, keepsVirtualInterfaces: boolean): Inventory {
  if (inventory.truncation?.type !== 'full') {
    for (const part of ['cpu', 'memory'] as const)
      if (!inventory[part]) throw new ShapeError(`inventory.${part}`, 'an object', undefined);
  }
  return {
    ...inventory,
    disks: inventory.disks?.map((disk) => ({ ...disk, id: disk.id || `/dev/${disk.name ?? ''}` })),
    interfaces: inventory.interfaces?.filter(
      ({ type }) => keepsVirtualInterfaces || REAL_INTERFACE_TYPES.includes(type ?? ''),
    ),
  };
}

/** Leaves out what changes by itself: the clock speed of the moment, counters of disks, how long a sync took. */
function fingerprintOf(inventory: Inventory): string {
  const steady = {
    ...inventory,
    cpu: { ...inventory.cpu, frequency: undefined },
    disks: inventory.disks?.map((disk) => ({ ...disk, smart: undefined, io_perf: undefined })),
  };
  return digestOf(toCanonicalJson(steady));
}
