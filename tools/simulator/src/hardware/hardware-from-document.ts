import type { Inventory } from '@muster/service-agent';
import { createRandom } from '../random';
import type { Hardware } from './generate-hardware';

/**
 * A machine as one was once reported. The serial number of its board is not in the document, so it is made from the name:
 * the same document gives the same host id. Throws when the text is no inventory.
 */
export function hardwareFromDocument(text: string): Hardware {
  const inventory = JSON.parse(text) as Inventory;
  if (!inventory.cpu || !inventory.memory || !Array.isArray(inventory.interfaces) || !Array.isArray(inventory.disks))
    throw new Error('This is not an inventory: cpu, memory, interfaces or disks are missing.');
  const random = createRandom(inventory.hostname);
  return {
    inventory,
    identity: {
      baseboardSerial: `document-${random.hex(12)}`,
      systemUuid: '',
      systemSerial: inventory.system_vendor.serial_number ?? '',
      macAddresses: inventory.interfaces.flatMap(({ mac_address }) => mac_address ?? []),
    },
  };
}
