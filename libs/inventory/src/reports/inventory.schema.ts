import { type Static, Type } from '@sinclair/typebox';
import { choice, list, record } from '../read-document';

const text = Type.String();
const flag = Type.Boolean();
const number = Type.Number();
/** Whole numbers that a double holds exactly. */
export const integer = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  expected: 'a whole number',
});

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
  cpu: record({ count: integer, frequency: number, flags: list(text), model_name: text, architecture: text }),
  memory: record({ physical_bytes: integer, usable_bytes: integer, physical_bytes_method: text }),
  system_vendor: record({ serial_number: text, product_name: text, manufacturer: text, virtual: flag }),
  interfaces: list(NIC),
  disks: list(DISK),
  gpus: list(record({ vendor: text, vendor_id: text, device_id: text, name: text, address: text })),
  routes: list(ROUTE),
  truncation: record({ type: choice('partial', 'full'), reasons: list(text) }),
});

export type Inventory = Static<typeof INVENTORY>;
export type InventoryDisk = Static<typeof DISK>;
export type InventoryNic = Static<typeof NIC>;
export type InventoryRoute = Static<typeof ROUTE>;
