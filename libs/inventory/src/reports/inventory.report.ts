import { toCanonicalJson } from '../canonical-json';
import { documentReader } from '../read-document';
import { type Digest, type ReportReader, toBody, toStoredBody } from '../report';
import { toHardwareFacts } from './hardware-facts';
import { INVENTORY, type Inventory } from './inventory.schema';

/** The size limit of a bus message. */
const MAX_INVENTORY_BYTES = 8 * 1024 * 1024;
const REAL_INTERFACE_TYPES = ['', 'physical', 'vlan', 'bond'];

/** The inventory step. Virtual interfaces (bridges, tunnels of containers) are left out unless `keepsVirtualInterfaces`. */
export function inventoryReader(keepsVirtualInterfaces: boolean): ReportReader {
  return documentReader({
    stepType: 'inventory',
    maxBytes: MAX_INVENTORY_BYTES,
    name: 'inventory',
    schema: INVENTORY,
    toReport: (document, { hostKey, epoch }, digest) => {
      const missing = missingPart(document);
      if (missing) return { path: `inventory.${missing}`, reason: 'must be an object, not absent' };
      const inventory = completed(document, keepsVirtualInterfaces);
      const body = toBody(inventory, digest);
      return {
        body,
        event: {
          type: 'InventoryReported',
          data: {
            hostKey,
            body: toStoredBody(body),
            hardware: toHardwareFacts(inventory),
            epoch,
            fingerprint: fingerprintOf(inventory, digest),
          },
        },
      };
    },
  });
}

/** Rules need CPU and memory, unless the agent itself had to leave everything out. */
function missingPart(inventory: Inventory): string | undefined {
  if (inventory.truncation?.type === 'full') return undefined;
  return (['cpu', 'memory'] as const).find((part) => !inventory[part]);
}

function completed(inventory: Inventory, keepsVirtualInterfaces: boolean): Inventory {
  const { disks, interfaces } = inventory;
  return {
    ...inventory,
    ...(disks && { disks: disks.map((disk) => ({ ...disk, id: disk.id || `/dev/${disk.name ?? ''}` })) }),
    ...(interfaces && {
      interfaces: interfaces.filter(({ type }) => keepsVirtualInterfaces || REAL_INTERFACE_TYPES.includes(type ?? '')),
    }),
  };
}

/** Digest without what changes by itself: the present clock speed, counters of disks, the duration of a sync. */
function fingerprintOf(inventory: Inventory, digest: Digest): string {
  const steady = {
    ...inventory,
    cpu: { ...inventory.cpu, frequency: undefined },
    disks: inventory.disks?.map((disk) => ({ ...disk, smart: undefined, io_perf: undefined })),
  };
  return digest(toCanonicalJson(steady));
}
