import { BoundedMap } from '@muster/event-sourcing';
/** Whether a disk may be installed on, kept with the host's document. */
export interface DiskEligibility {
  /** As the inventory names it: `sda`. */
  readonly name: string;
  /** What the disk goes by in every API; agents may leave it to the service. */
  readonly id: string;
  /** Why it cannot be the installation disk; empty when it can. */
  readonly reasons: readonly string[];
  /** Those of the reasons that no other role of the host would change. */
  readonly lastingReasons: readonly string[];
  readonly sizeBytes: number;
}

type ShownInventory = { readonly disks?: readonly ({ readonly name?: string } | null)[] | null };

/** Inventories kept with what was worked out about their disks; at some 15 KB each, about 30 MB. */
const CACHE_MAX_ENTRIES = 2_048;
/** By list of disks: a list is never changed in place and belongs to one inventory. */
const shown = new BoundedMap<readonly DiskEligibility[], { readonly given: string; readonly text: string }>(
  CACHE_MAX_ENTRIES,
);

/**
 * The inventory of a host with `id` and `installation_eligibility` of each disk that is known. JSON text in and out; every
 * other member, and a disk without an evaluation, stays as the agent sent it. Undefined disks change nothing.
 */
export function withDiskEligibility(inventoryText: string, disks: readonly DiskEligibility[] | undefined): string {
  if (!disks || disks.length === 0) return inventoryText;
  const known = shown.get(disks);
  if (known?.given === inventoryText) return known.text;
  const text = merged(inventoryText, disks);
  shown.set(disks, { given: inventoryText, text });
  return text;
}

function merged(inventoryText: string, disks: readonly DiskEligibility[]): string {
  const inventory = JSON.parse(inventoryText) as ShownInventory;
  if (!inventory.disks) return inventoryText;
  const byName = new Map(disks.map((disk) => [disk.name, disk]));
  return JSON.stringify({
    ...inventory,
    disks: inventory.disks.map((disk) => {
      const found = byName.get(disk?.name ?? '');
      if (!disk || !found) return disk;
      const { id, reasons } = found;
      const eligibility = { eligible: reasons.length === 0, not_eligible_reasons: reasons };
      return { ...disk, id, installation_eligibility: eligibility };
    }),
  });
}
