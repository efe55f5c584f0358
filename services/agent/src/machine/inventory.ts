/**
 * The result of the inventory step, with the names of the v2 API. Sizes are bytes, frequency is MHz, addresses have
 * their prefix length.
 */
export interface Inventory {
  readonly bmc_address?: string;
  readonly bmc_v6address?: string;
  readonly boot?: Boot;
  readonly cpu: Cpu;
  readonly disks: readonly Disk[];
  readonly gpus: readonly Gpu[];
  readonly hostname: string;
  readonly interfaces: readonly Interface[];
  readonly memory: Memory;
  readonly routes: readonly Route[];
  readonly system_vendor: SystemVendor;
  readonly tpm_version?: 'none' | '1.2' | '2.0';
}

export interface Boot {
  readonly command_line?: string;
  readonly current_boot_mode?: 'bios' | 'uefi';
  readonly device_type?: '' | 'persistent' | 'ephemeral';
  readonly pxe_interface?: string;
  readonly secure_boot_state?: 'Unknown' | 'NotSupported' | 'Enabled' | 'Disabled';
}

export interface Cpu {
  readonly architecture: string;
  readonly count: number;
  readonly flags: readonly string[];
  readonly frequency?: number;
  readonly model_name?: string;
}

export interface Disk {
  readonly bootable?: boolean;
  readonly by_id?: string;
  readonly by_path?: string;
  readonly drive_type: string;
  readonly has_uuid?: boolean;
  readonly hctl?: string;
  readonly holders?: string;
  readonly id: string;
  readonly installation_eligibility: {
    readonly eligible?: boolean;
    readonly not_eligible_reasons: readonly string[] | null;
  };
  readonly is_installation_media?: boolean;
  readonly iscsi?: { readonly host_ip_address?: string };
  readonly model?: string;
  readonly name: string;
  readonly path: string;
  readonly removable?: boolean;
  readonly serial?: string;
  readonly size_bytes: number;
  readonly vendor?: string;
  readonly wwn?: string;
}

export interface Gpu {
  readonly address: string;
  readonly device_id?: string;
  readonly name?: string;
  readonly vendor?: string;
  readonly vendor_id?: string;
}

export interface Interface {
  readonly biosdevname?: string;
  readonly flags: readonly string[];
  readonly has_carrier?: boolean;
  readonly ipv4_addresses: readonly string[];
  readonly ipv6_addresses: readonly string[];
  readonly mac_address?: string;
  readonly mtu?: number;
  readonly name: string;
  readonly product?: string;
  readonly speed_mbps?: number;
  readonly type?: string;
  readonly vendor?: string;
}

export interface Memory {
  readonly physical_bytes: number;
  readonly physical_bytes_method?: 'dmidecode' | 'ghw' | 'meminfo';
  readonly usable_bytes: number;
}

export interface Route {
  readonly destination: string;
  /** 2: IPv4, 10: IPv6. */
  readonly family: 2 | 10;
  readonly gateway?: string;
  readonly interface: string;
  readonly metric?: number;
}

export interface SystemVendor {
  readonly manufacturer?: string;
  readonly product_name?: string;
  readonly serial_number?: string;
  readonly virtual?: boolean;
}

/**
 * Returns the JSON text of an inventory. Empty members, 0 and false are omitted, lists stay. The same machine gives the
 * same text, because an unchanged text is not sent again.
 */
export function toInventoryText(inventory: Inventory): string {
  return JSON.stringify(withoutEmpty(inventory));
}

const EMPTY: readonly unknown[] = [undefined, '', 0, false];

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, member]) => !EMPTY.includes(member));
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutEmpty(member)]));
}
