import { flag, integer, list, number, object, oneOf, text } from '../shapes/shape';

/** The agent's inventory, as the contract models it. */
export const inventoryShape = object({
  hostname: text,
  bmc_address: text,
  bmc_v6address: text,
  tpm_version: text,
  boot: object({
    current_boot_mode: text,
    pxe_interface: text,
    command_line: text,
    secure_boot_state: text,
    device_type: text,
  }),
  cpu: object({
    count: integer,
    frequency: number,
    flags: list(text),
    model_name: text,
    architecture: text,
  }),
  memory: object({ physical_bytes: integer, usable_bytes: integer, physical_bytes_method: text }),
  system_vendor: object({ serial_number: text, product_name: text, manufacturer: text, virtual: flag }),
  interfaces: list(
    object({
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
    }),
  ),
  disks: list(
    object({
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
      io_perf: object({ sync_duration: integer }),
      holders: text,
      iscsi: object({ host_ip_address: text }),
      installation_eligibility: object({ eligible: flag, not_eligible_reasons: list(text) }),
    }),
  ),
  gpus: list(object({ vendor: text, vendor_id: text, device_id: text, name: text, address: text })),
  routes: list(object({ interface: text, gateway: text, destination: text, family: integer, metric: integer })),
  truncation: object({ type: oneOf('partial', 'full'), reasons: list(text) }),
});

export type Inventory = ReturnType<typeof inventoryShape>;
export type InventoryDisk = NonNullable<Inventory['disks']>[number];
export type InventoryNic = NonNullable<Inventory['interfaces']>[number];
export type InventoryRoute = NonNullable<Inventory['routes']>[number];
