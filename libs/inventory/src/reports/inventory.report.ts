import type { DiskFacts, HardwareFacts, NicFacts, Plain, RouteFacts } from '@muster/contracts';
import { type Static, Type } from '@sinclair/typebox';
import {
  choice,
  type Digest,
  documentReader,
  firstOfEach,
  fitting,
  flag,
  integer,
  keptFacts,
  keptKinds,
  list,
  record,
  type ReportReader,
  text,
  toBody,
  toCanonicalJson,
  toInt32,
  toStoredBody,
  withMembers,
} from '../report';

/** Limits of the part of an inventory in its event. An append accepts 256 KiB. Of the routes, rules read the default ones. */
export const MAX_DISK_FACTS = 256;
export const MAX_NIC_FACTS = 256;
export const MAX_ROUTE_FACTS = 256;
export const MAX_GPU_FACTS = 64;
/** CPU flags of Intel and AMD. */
const VIRTUALIZATION_FLAGS: ReadonlySet<string> = new Set(['vmx', 'svm']);
/** Addresses of one family: of a NIC, and of all NICs, of which each has an equal share. */
const MAX_ADDRESSES = { perNic: 64, all: 2_048 };
const MAX_REASONS_PER_DISK = 8;
const MAX_CHARACTERS = { fact: 256, pciId: 8 };
/** Sizes of lists as JSON. The disks have `disks` at least, and what the NICs leave. */
const MAX_BYTES = { disksAndNics: 208 * 1024, disks: 128 * 1024, routes: 16 * 1024, virtualTypes: 4 * 1024 };

/** `interfaces`: all network interfaces of the machine, including those that the inventory omits. */
export function toHardwareFacts(
  inventory: Inventory,
  interfaces: readonly InventoryNic[] = inventory.interfaces ?? [],
): Plain<HardwareFacts> {
  const { disks = [], interfaces: listed = [], gpus = [] } = inventory;
  const virtual = interfaces.filter((nic) => !isPhysical(nic));
  const virtualTypes = virtual.slice(0, MAX_NIC_FACTS).map(({ type }) => short(type));
  // The rules of a multipath disk need one of its many paths.
  const needed = firstOfEach(disks.filter(isPerhapsNeeded), ({ holders }) => holders);
  const diskFacts = { countMax: MAX_DISK_FACTS, matters: needed.has.bind(needed), toFacts: toDiskFacts };
  const leastDisks = keptFacts(disks, diskFacts, MAX_BYTES.disks);
  const nics = keptFacts(listed, NIC_FACTS, MAX_BYTES.disksAndNics - leastDisks.bytes);
  const hasAllDisks = leastDisks.facts.length === disks.length;
  return {
    hostname: short(inventory.hostname),
    cpuArchitecture: short(inventory.cpu?.architecture),
    cpuCount: toInt32(inventory.cpu?.count),
    physicalMemoryBytes: inventory.memory?.physical_bytes ?? 0,
    usableMemoryBytes: inventory.memory?.usable_bytes ?? 0,
    physicalMemoryMethod: short(inventory.memory?.physical_bytes_method),
    disks: (hasAllDisks ? leastDisks : keptFacts(disks, diskFacts, MAX_BYTES.disksAndNics - nics.bytes)).facts,
    nics: nics.facts,
    routes: keptFacts(inventory.routes ?? [], ROUTE_FACTS, MAX_BYTES.routes).facts,
    manufacturer: short(inventory.system_vendor?.manufacturer),
    productName: short(inventory.system_vendor?.product_name),
    serialNumber: short(inventory.system_vendor?.serial_number),
    isVirtual: inventory.system_vendor?.virtual ?? false,
    tpmVersion: short(inventory.tpm_version),
    bootMode: short(inventory.boot?.current_boot_mode),
    bootDeviceType: short(inventory.boot?.device_type),
    gpuCount: toInt32(inventory.gpus?.length),
    gpus: keptKinds(gpus.map(toPciIds), MAX_GPU_FACTS),
    hasVirtualization: (inventory.cpu?.flags ?? []).some((flag) => VIRTUALIZATION_FLAGS.has(flag)),
    secureBootState: short(inventory.boot?.secure_boot_state),
    truncation: inventory.truncation?.type ?? 'none',
    diskCount: toInt32(disks.length),
    hasVendor: inventory.system_vendor !== undefined,
    virtualNicTypes: fitting(virtualTypes, MAX_BYTES.virtualTypes),
    physicalNicCount: interfaces.length - virtual.length,
    // Without an undefined member, which would make an unchanged inventory differ from the stored one.
    ...(inventory.cpu?.architecture === 's390x' && { bootArguments: bootArgumentsOf(inventory) }),
  };
}

/** Kernel arguments with which an s390x machine finds its network and its disks, because no firmware finds them. */
const DEVICE_ARGUMENTS: readonly string[] = ['rd.neednet', 'zfcp.allow_lun_scan', 'rd.znet', 'rd.dasd', 'rd.zfcp'];
const NETWORK_ARGUMENTS: readonly string[] = ['ip', 'nameserver'];
const NETWORK_OVERRIDE = 'ai.ip_cfg_override=1';
/** The kernel of s390x ignores the rest of a longer command line. */
const COMMAND_LINE_CHARACTERS_MAX = 4_096;

function bootArgumentsOf({ boot }: Inventory): string {
  const given = (boot?.command_line ?? '').slice(0, COMMAND_LINE_CHARACTERS_MAX).split(/\s+/);
  const names = given.includes(NETWORK_OVERRIDE) ? [...DEVICE_ARGUMENTS, ...NETWORK_ARGUMENTS] : DEVICE_ARGUMENTS;
  return given
    .filter((argument) => argument === NETWORK_OVERRIDE || names.includes(argument.replace(/=.*/s, '')))
    .join(' ');
}

function toDiskFacts(disk: InventoryDisk): Plain<DiskFacts> {
  return {
    id: short(disk.id),
    name: short(disk.name),
    path: short(disk.path),
    byPath: short(disk.by_path),
    byId: short(disk.by_id),
    driveType: short(disk.drive_type),
    sizeBytes: disk.size_bytes ?? 0,
    model: short(disk.model),
    serial: short(disk.serial),
    hctl: short(disk.hctl),
    bootable: disk.bootable ?? false,
    removable: disk.removable ?? false,
    isInstallationMedia: disk.is_installation_media ?? false,
    hasUuid: disk.has_uuid ?? false,
    agentReasons: (disk.installation_eligibility?.not_eligible_reasons ?? []).slice(0, MAX_REASONS_PER_DISK).map(short),
    holders: short(disk.holders),
    iscsiHostIpAddress: short(disk.iscsi?.host_ip_address),
  };
}

function toNicFacts(nic: InventoryNic, _: number, { length: nicCount }: readonly InventoryNic[]): Plain<NicFacts> {
  const count = Math.min(MAX_ADDRESSES.perNic, Math.floor(MAX_ADDRESSES.all / nicCount));
  return {
    name: short(nic.name),
    macAddress: short(nic.mac_address).toLowerCase(),
    ipv4Addresses: (nic.ipv4_addresses ?? []).slice(0, count).map(short),
    ipv6Addresses: (nic.ipv6_addresses ?? []).slice(0, count).map(short),
    mtu: toInt32(nic.mtu),
    speedMbps: toInt32(nic.speed_mbps),
    type: short(nic.type),
    hasCarrier: nic.has_carrier ?? false,
    vendorId: pciId(nic.vendor),
    productId: pciId(nic.product),
  };
}

function toRouteFacts(route: InventoryRoute): Plain<RouteFacts> {
  return {
    interface: short(route.interface),
    gateway: short(route.gateway),
    destination: short(route.destination),
    family: toInt32(route.family),
    metric: toInt32(route.metric),
  };
}

const short = (text = ''): string => text.slice(0, MAX_CHARACTERS.fact).toWellFormed();
/** Without the prefix 0x, which some agents omit. */
const pciId = (text = ''): string => short(text).toLowerCase().replace(/^0x/, '').slice(0, MAX_CHARACTERS.pciId);
const toPciIds = (gpu: Static<typeof GPU>) => ({ vendorId: pciId(gpu.vendor_id), deviceId: pciId(gpu.device_id) });
const isPerhapsNeeded = ({ holders, installation_eligibility: found }: InventoryDisk): boolean =>
  Boolean(holders) || (found?.not_eligible_reasons ?? []).length === 0;
const hasAddress = (nic: InventoryNic): boolean =>
  (nic.ipv4_addresses ?? []).length + (nic.ipv6_addresses ?? []).length > 0;
const isDefault = ({ destination = '' }: InventoryRoute): boolean => ['0.0.0.0', '::'].includes(destination);

const ROUTE_FACTS = { countMax: MAX_ROUTE_FACTS, matters: isDefault, toFacts: toRouteFacts };
const NIC_FACTS = { countMax: MAX_NIC_FACTS, matters: hasAddress, toFacts: toNicFacts };

const DISK = record({
  id: text,
  name: text,
  path: text,
  by_path: text,
  by_id: text,
  hctl: text,
  drive_type: text,
  has_uuid: flag,
  vendor: text,
  model: text,
  wwn: text,
  serial: text,
  size_bytes: integer,
  bootable: flag,
  removable: flag,
  partitionTypes: text,
  is_installation_media: flag,
  smart: text,
  io_perf: record({ sync_duration: integer }),
  holders: text,
  iscsi: record({ host_ip_address: text }),
  installation_eligibility: record({ eligible: flag, not_eligible_reasons: list(text) }),
});

const NIC = record({
  name: text,
  mac_address: text,
  ipv4_addresses: list(text),
  ipv6_addresses: list(text),
  has_carrier: flag,
  mtu: integer,
  speed_mbps: integer,
  vendor: text,
  product: text,
  biosdevname: text,
  client_id: text,
  flags: list(text),
  type: text,
});

const ROUTE = record({ interface: text, gateway: text, destination: text, family: integer, metric: integer });
const GPU = record({ vendor: text, vendor_id: text, device_id: text, name: text, address: text });

/** The inventory of a host, as assisted-service v2 models it. */
export const INVENTORY = record({
  hostname: text,
  bmc_address: text,
  bmc_v6address: text,
  tpm_version: text,
  boot: record({
    current_boot_mode: text,
    pxe_interface: text,
    command_line: text,
    secure_boot_state: text,
    device_type: text,
  }),
  cpu: record({ count: integer, frequency: Type.Number(), flags: list(text), model_name: text, architecture: text }),
  memory: record({ physical_bytes: integer, usable_bytes: integer, physical_bytes_method: text }),
  system_vendor: record({ serial_number: text, product_name: text, manufacturer: text, virtual: flag }),
  interfaces: list(NIC),
  disks: list(DISK),
  gpus: list(GPU),
  routes: list(ROUTE),
  truncation: record({ type: choice('partial', 'full'), reasons: list(text) }),
});

export type Inventory = Static<typeof INVENTORY>;
export type InventoryDisk = Static<typeof DISK>;
export type InventoryNic = Static<typeof NIC>;
export type InventoryRoute = Static<typeof ROUTE>;

/** The maximum size of a bus message. */
const MAX_INVENTORY_BYTES = 8 * 1024 * 1024;
const PHYSICAL_INTERFACE_TYPES = ['', 'physical', 'vlan', 'bond'];
const isPhysical = ({ type = '' }: InventoryNic): boolean => PHYSICAL_INTERFACE_TYPES.includes(type);

/**
 * The reader of the inventory step. Virtual interfaces (bridges, tunnels of containers) are omitted unless
 * `keepsVirtualInterfaces` is set.
 */
export function inventoryReader(keepsVirtualInterfaces: boolean): ReportReader {
  return documentReader({
    stepType: 'inventory',
    maxBytes: MAX_INVENTORY_BYTES,
    name: 'inventory',
    schema: INVENTORY,
    toReport: (document, { hostKey, generation }, digest) => {
      const missing = missingPart(document);
      if (missing) return { path: `inventory.${missing}`, reason: 'must be an object, not absent' };
      const inventory = completed(document, keepsVirtualInterfaces);
      const body = toBody(inventory, digest);
      const hardware = toHardwareFacts(inventory, document.interfaces);
      return {
        body,
        event: {
          type: 'InventoryReported',
          data: {
            hostKey,
            body: toStoredBody(body),
            hardware,
            generation,
            fingerprint: fingerprintOf(inventory, hardware.bootArguments, body.text, digest),
          },
        },
      };
    },
  });
}

/** Rules need CPU and memory, unless the agent had to omit everything. */
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
      interfaces: interfaces.filter((nic) => keepsVirtualInterfaces || isPhysical(nic)),
    }),
  };
}

/**
 * Digest without values that change without a cause: the current clock speed, counters of disks, the duration of a
 * sync. It contains the boot arguments, because the stored events of hosts that booted with an older version lack them.
 */
function fingerprintOf(inventory: Inventory, bootArguments: string | undefined, text: string, digest: Digest): string {
  const { frequency: _frequency, ...cpu } = inventory.cpu ?? {};
  const changes = inventory.disks?.some(({ smart, io_perf }) => smart !== undefined || io_perf !== undefined)
    ? { cpu, disks: inventory.disks.map(({ smart: _smart, io_perf: _ioPerf, ...steady }) => steady) }
    : { cpu };
  const steady = bootArguments === undefined ? withMembers(text, inventory, changes) : undefined;
  return digest(steady ?? toCanonicalJson({ ...inventory, ...changes, bootArguments }));
}
