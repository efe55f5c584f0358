import type { Inventory } from '@muster/service-agent';

/** A fault of a machine that the service must find, and its repair. */
export interface HardwareFault {
  /** The inventory of a machine that has it. */
  apply(inventory: Inventory): Inventory;
  readonly remedy: string;
}

const GIB = 1024 ** 3;

export const HARDWARE_FAULTS = {
  'too-little-memory': {
    apply: (inventory) => ({
      ...inventory,
      memory: { ...inventory.memory, physical_bytes: 4 * GIB, usable_bytes: Math.floor(3.9 * GIB) },
    }),
    remedy: 'a broken memory module is replaced',
  },
  'too-few-cpus': {
    apply: (inventory) => ({ ...inventory, cpu: { ...inventory.cpu, count: 1 } }),
    remedy: 'cores that were switched off in the firmware are switched on',
  },
  'no-usable-disk': {
    apply: (inventory) => ({
      ...inventory,
      disks: inventory.disks.filter(({ is_installation_media }) => is_installation_media),
    }),
    remedy: 'a loose cable of the disk controller is plugged in',
  },
  'no-name': {
    apply: (inventory) => ({ ...inventory, hostname: 'localhost' }),
    remedy: 'the name of the machine is added to the name server',
  },
} as const satisfies Record<string, HardwareFault>;

export type HardwareFaultId = keyof typeof HARDWARE_FAULTS;
