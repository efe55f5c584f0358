import { isObject, memberAt, parseJson } from '@muster/schema';
import type { Disk, Interface, Inventory, MachineIdentity } from '@muster/service-agent';
import { createRandom, type Random } from '../random';
import { networkOf } from '../world/simulated-network';
import { type DiskModel, SERVER_MODELS, type ServerModel } from './server-models';

/** The hardware of a machine and its identity. */
export interface Hardware {
  readonly inventory: Inventory;
  /** Without the boot id, which changes with every boot. */
  readonly identity: Omit<MachineIdentity, 'bootId'>;
}

export interface GenerateHardwareOptions {
  /** The same seed gives the same machine. */
  readonly seed: string;
  readonly hostname: string;
  /** With prefix length, such as `192.168.111.20/24`. */
  readonly address: string;
  readonly gateway: string;
  /** Fixed value instead of a random one. */
  readonly cpuCount?: number;
  readonly memoryGib?: number;
}

const GB = 1_000_000_000;
const GIB = 1024 ** 3;
/** Share of the memory that remains after firmware and kernel. */
const USABLE_SHARE = 0.978;
/** Size of the virtual drive with the discovery image. */
const MEDIA_BYTES = 1_200_000_000;
const X86_FLAGS =
  'fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat clflush mmx fxsr sse sse2 ht syscall nx pdpe1gb rdtscp lm constant_tsc rep_good nopl cpuid pni pclmulqdq ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt aes xsave avx f16c rdrand lahf_lm abm fsgsbase bmi1 avx2 smep bmi2 erms rdseed adx smap clflushopt xsaveopt xsavec xgetbv1 arat';

export function generateHardware(options: GenerateHardwareOptions): Hardware {
  const random = createRandom(options.seed);
  const model = random.pick(SERVER_MODELS);
  const serial = random.hex(7).toUpperCase();
  const memoryGib = options.memoryGib ?? random.pick(model.memoryGib);
  const interfaces = drawInterfaces(random, model, options.address);
  const nic = interfaces[0]?.name ?? '';
  const virtualisation = model.cpu.startsWith('AMD') ? 'svm' : 'vmx';
  return {
    identity: {
      baseboardSerial: model.isVirtual ? '' : `.${serial}.CN${random.hex(10).toUpperCase()}.`,
      systemUuid: drawUuid(random),
      systemSerial: serial,
      macAddresses: interfaces.flatMap(({ mac_address }) => mac_address ?? []),
    },
    inventory: {
      bmc_address: '0.0.0.0',
      bmc_v6address: '::/0',
      boot: {
        command_line:
          'BOOT_IMAGE=/images/pxeboot/vmlinuz ignition.firstboot ignition.platform.id=metal coreos.liveiso=discovery\n',
        current_boot_mode: model.isVirtual ? 'bios' : 'uefi',
        device_type: 'ephemeral',
        secure_boot_state: model.isVirtual ? 'NotSupported' : 'Disabled',
      },
      cpu: {
        architecture: 'x86_64',
        count: options.cpuCount ?? random.pick(model.cpuCounts),
        flags: [...X86_FLAGS.split(' '), virtualisation, ...(model.isVirtual ? ['hypervisor'] : [])],
        frequency: model.frequency,
        model_name: model.cpu,
      },
      disks: drawDisks(random, model),
      gpus: [],
      hostname: options.hostname,
      interfaces,
      memory: {
        physical_bytes: memoryGib * GIB,
        physical_bytes_method: 'dmidecode',
        usable_bytes: Math.floor(memoryGib * GIB * USABLE_SHARE),
      },
      routes: [
        { destination: '0.0.0.0', family: 2, gateway: options.gateway, interface: nic, metric: 100 },
        { destination: networkOf(options.address).replace(/\/.*/, ''), family: 2, interface: nic, metric: 100 },
      ],
      system_vendor: {
        manufacturer: model.manufacturer,
        product_name: model.product,
        serial_number: serial,
        virtual: model.isVirtual,
      },
      tpm_version: model.isVirtual ? 'none' : '2.0',
    },
  };
}

function drawInterfaces(random: Random, model: ServerModel, address: string): readonly Interface[] {
  const [vendor, product] = model.nicIds;
  return model.nicNames.map((name, index) => ({
    flags: ['up', 'broadcast', 'multicast'],
    // Only the first card has a link.
    has_carrier: index === 0,
    ipv4_addresses: index === 0 ? [address] : [],
    ipv6_addresses: [],
    mac_address: `${model.macPrefix}:${random.hex(2)}:${random.hex(2)}:${random.hex(1)}${index}`,
    mtu: 1500,
    name,
    product,
    speed_mbps: index === 0 && !model.isVirtual ? 10_000 : -1,
    type: 'physical',
    vendor,
  }));
}

const DISKS_MAX = 4;

function drawDisks(random: Random, model: ServerModel): readonly Disk[] {
  const count = random.between(1, DISKS_MAX);
  const disks = Array.from({ length: count }, (_, index) => drawDisk(random, random.pick(model.disks), index));
  return [MEDIA_DRIVE, ...disks];
}

const MEDIA_DRIVE: Disk = {
  bootable: true,
  by_path: '/dev/disk/by-path/pci-0000:00:14.0-usb-0:14.1:1.0-scsi-0:0:0:0',
  drive_type: 'ODD',
  hctl: '6:0:0:0',
  id: '/dev/disk/by-path/pci-0000:00:14.0-usb-0:14.1:1.0-scsi-0:0:0:0',
  installation_eligibility: { not_eligible_reasons: ['Disk holds the medium that the machine runs from'] },
  is_installation_media: true,
  model: 'Virtual_CD',
  name: 'sr0',
  path: '/dev/sr0',
  removable: true,
  size_bytes: MEDIA_BYTES,
  vendor: 'Linux',
};

function drawDisk(random: Random, model: DiskModel, index: number): Disk {
  const letter = String.fromCharCode('a'.charCodeAt(0) + index);
  const name = { sata: `sd${letter}`, nvme: `nvme${index}n1`, virtio: `vd${letter}` }[model.bus];
  const digest = random.hex(16);
  const by_id = {
    sata: `/dev/disk/by-id/wwn-0x${digest}`,
    nvme: `/dev/disk/by-id/nvme-eui.${digest}`,
    virtio: undefined,
  }[model.bus];
  // The index is part of the slot, so that two disks of a machine never have the same path.
  const by_path = `/dev/disk/by-path/pci-0000:${random.hex(1)}${index}:00.0${model.bus === 'sata' ? `-ata-${index + 1}` : ''}`;
  return {
    by_id,
    by_path,
    drive_type: model.kind,
    has_uuid: model.bus !== 'virtio',
    hctl: model.bus === 'sata' ? `${index}:0:0:0` : undefined,
    id: by_id ?? by_path,
    installation_eligibility: { eligible: true, not_eligible_reasons: [] },
    model: model.model,
    name,
    path: `/dev/${name}`,
    serial: random.hex(12).toUpperCase(),
    size_bytes: random.pick(model.sizesGb) * GB,
    vendor: model.vendor,
    wwn: model.bus === 'sata' ? `0x${digest}` : undefined,
  };
}

const drawUuid = (random: Random): string =>
  [random.hex(8), random.hex(4), `4${random.hex(3)}`, `a${random.hex(3)}`, random.hex(12)].join('-');

/** A fault of a machine that the validations must detect, and its repair. */
export interface HardwareFault {
  /** Returns the inventory of a machine with the fault. */
  apply(inventory: Inventory): Inventory;
  readonly remedy: string;
}

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

const isInventory = (value: unknown): value is Inventory =>
  isObject(memberAt(value, 'cpu')) &&
  isObject(memberAt(value, 'memory')) &&
  Array.isArray(memberAt(value, 'interfaces')) &&
  Array.isArray(memberAt(value, 'disks'));

/**
 * Returns a machine with a recorded inventory. The serial number of its board is derived from the name, because the
 * inventory does not contain it, so the same document gives the same host id.
 * @throws when the text is not an inventory
 */
export function hardwareFromDocument(text: string): Hardware {
  const inventory = parseJson(text);
  if (!isInventory(inventory))
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
