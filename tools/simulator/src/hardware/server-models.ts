/** A server model from which machines are generated. */
export interface ServerModel {
  readonly manufacturer: string;
  readonly product: string;
  readonly cpu: string;
  /** MHz. */
  readonly frequency: number;
  readonly cpuCounts: readonly [number, ...number[]];
  readonly memoryGib: readonly [number, ...number[]];
  readonly disks: readonly [DiskModel, ...DiskModel[]];
  /** First three bytes of the MAC addresses of its network cards. */
  readonly macPrefix: string;
  /** Kernel names of its first network cards. */
  readonly nicNames: readonly [string, string];
  readonly nicIds: readonly [vendor: string, product: string];
  readonly isVirtual?: boolean;
}

export interface DiskModel {
  readonly vendor: string;
  readonly model: string;
  readonly kind: 'SSD' | 'HDD';
  readonly bus: 'sata' | 'nvme' | 'virtio';
  /** 10^9 bytes. */
  readonly sizesGb: readonly [number, ...number[]];
}

const SATA_SSD: DiskModel = {
  vendor: 'ATA',
  model: 'SAMSUNG MZ7LH480',
  kind: 'SSD',
  bus: 'sata',
  sizesGb: [240, 480, 960],
};
const SAS_HDD: DiskModel = {
  vendor: 'SEAGATE',
  model: 'ST1200MM0099',
  kind: 'HDD',
  bus: 'sata',
  sizesGb: [1200, 2400],
};
const NVME: DiskModel = {
  vendor: '',
  model: 'INTEL SSDPE2KX010T8',
  kind: 'SSD',
  bus: 'nvme',
  sizesGb: [1000, 1600, 3200],
};
const VIRTIO: DiskModel = { vendor: '0x1af4', model: '', kind: 'HDD', bus: 'virtio', sizesGb: [128, 160] };

export const SERVER_MODELS: readonly [ServerModel, ...ServerModel[]] = [
  {
    manufacturer: 'Dell Inc.',
    product: 'PowerEdge R650',
    cpu: 'Intel(R) Xeon(R) Gold 5318Y CPU @ 2.10GHz',
    frequency: 3400,
    cpuCounts: [32, 48, 96],
    memoryGib: [64, 128, 256],
    disks: [SATA_SSD, NVME],
    macPrefix: 'b0:7b:25',
    nicNames: ['eno8303', 'eno8403'],
    nicIds: ['0x14e4', '0x165f'],
  },
  {
    manufacturer: 'HPE',
    product: 'ProLiant DL360 Gen10',
    cpu: 'Intel(R) Xeon(R) Silver 4214R CPU @ 2.40GHz',
    frequency: 3500,
    cpuCounts: [24, 48],
    memoryGib: [48, 96, 192],
    disks: [SATA_SSD, SAS_HDD],
    macPrefix: '48:df:37',
    nicNames: ['eno1', 'eno2'],
    nicIds: ['0x14e4', '0x1657'],
  },
  {
    manufacturer: 'Lenovo',
    product: 'ThinkSystem SR630 V2',
    cpu: 'Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz',
    frequency: 3100,
    cpuCounts: [56, 112],
    memoryGib: [128, 256, 512],
    disks: [NVME, SATA_SSD],
    macPrefix: '08:3a:88',
    nicNames: ['ens1f0', 'ens1f1'],
    nicIds: ['0x8086', '0x1563'],
  },
  {
    manufacturer: 'Supermicro',
    product: 'SYS-110P-WTR',
    cpu: 'AMD EPYC 7313P 16-Core Processor',
    frequency: 3700,
    cpuCounts: [16, 32],
    memoryGib: [32, 64],
    disks: [SATA_SSD, NVME],
    macPrefix: '3c:ec:ef',
    nicNames: ['enp65s0f0', 'enp65s0f1'],
    nicIds: ['0x8086', '0x1521'],
  },
  {
    manufacturer: 'Cisco Systems Inc',
    product: 'UCSC-C220-M5SX',
    cpu: 'Intel(R) Xeon(R) Gold 6126 CPU @ 2.60GHz',
    frequency: 3700,
    cpuCounts: [24, 48],
    memoryGib: [96, 192],
    disks: [SAS_HDD, SATA_SSD],
    macPrefix: '70:7d:b9',
    nicNames: ['eno5', 'eno6'],
    nicIds: ['0x1137', '0x0043'],
  },
  {
    manufacturer: 'Red Hat',
    product: 'KVM',
    cpu: 'AMD EPYC-Rome Processor',
    frequency: 2800,
    cpuCounts: [8, 12, 16],
    memoryGib: [24, 32],
    disks: [VIRTIO],
    macPrefix: '52:54:00',
    nicNames: ['enp1s0', 'enp2s0'],
    nicIds: ['0x1af4', '0x0001'],
    isVirtual: true,
  },
];
