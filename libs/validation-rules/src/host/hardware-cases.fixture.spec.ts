import type { HostFacts } from '../facts/host.facts';
import { sampleDisk, sampleHardware, sampleHost, sampleUnboundHost, sampleSettings } from '../facts/sample.facts';
import type { Hardware } from '../hardware/hardware';
import type { HostRuleId } from '../rule/contract-ids';

export const MIB = 1024 ** 2;
export const given = sampleHost;
export const hw = (changes: Partial<Hardware>): HostFacts => given({ hardware: sampleHardware(changes) });
export const cl = (changes: Parameters<typeof sampleSettings>[0], others: Partial<HostFacts> = {}): HostFacts =>
  given({ cluster: sampleSettings(changes), ...others });
export const noInventory = given({ hardware: undefined });
export const speed = (exitCode: number): HostFacts =>
  given({ diskSpeeds: [{ path: '/dev/disk/by-id/wwn-0x1', ioSyncDurationMs: 12, exitCode, generation: 0 }] });
export const vmware = (hasUuid: boolean, driveType = 'HDD'): HostFacts =>
  hw({ manufacturer: 'VMware, Inc.', disks: [sampleDisk({ hasUuid, driveType })] });
/** An executable on a host whose service requires `agentImage`. */
const executable = (agentImage: string, agentArchitectures: readonly string[]): HostFacts =>
  given({
    agentVersion: 'muster-host:1',
    hardware: sampleHardware({ cpuArchitecture: 'x86_64' }),
    policy: { ...given().policy, agentImage, agentArchitectures },
  });
/** `none`: the rule has no outcome for this host. */
export const HARDWARE_CASES: readonly [
  HostRuleId,
  string,
  HostFacts,
  'success' | 'failure' | 'pending' | 'error' | 'none',
][] = [
  ['connected', 'reporting', given(), 'success'],
  ['connected', 'silent', given({ isSilent: true }), 'failure'],
  ['connected', 'silent after the reboot', given({ isSilent: true, stage: 'Rebooting' }), 'none'],
  ['media-connected', 'readable', given(), 'success'],
  ['media-connected', 'unreadable', given({ isMediaConnected: false }), 'failure'],
  ['media-connected', 'unreadable after the reboot', given({ isMediaConnected: false, stage: 'Joined' }), 'none'],
  ['has-inventory', 'reported', given(), 'success'],
  ['has-inventory', 'not reported', noInventory, 'failure'],
  ['inventory-not-partially-truncated', 'whole', given(), 'success'],
  ['inventory-not-partially-truncated', 'partial', hw({ truncation: 'partial' }), 'failure'],
  ['inventory-not-partially-truncated', 'full', hw({ truncation: 'full' }), 'success'],
  ['inventory-not-partially-truncated', 'unknown', hw({ truncation: 'half' }), 'error'],
  ['inventory-not-partially-truncated', 'no inventory', noInventory, 'pending'],
  ['inventory-not-fully-truncated', 'partial', hw({ truncation: 'partial' }), 'success'],
  ['inventory-not-fully-truncated', 'full', hw({ truncation: 'full' }), 'failure'],
  ['inventory-not-fully-truncated', 'no inventory', noInventory, 'pending'],
  ['has-min-cpu-cores', '2 cores', hw({ cpuCount: 2 }), 'success'],
  ['has-min-cpu-cores', '1 core', hw({ cpuCount: 1 }), 'failure'],
  ['has-min-cpu-cores', 'no inventory', noInventory, 'pending'],
  ['has-min-memory', '8092 MiB', hw({ physicalMemoryBytes: 8092 * MIB }), 'success'],
  ['has-min-memory', 'one byte less than required', hw({ physicalMemoryBytes: 8092 * MIB - 1 }), 'failure'],
  [
    'has-min-memory',
    'meminfo: 2 % less',
    hw({ physicalMemoryBytes: (8092 - 163) * MIB, physicalMemoryMethod: 'meminfo' }),
    'success',
  ],
  [
    'has-min-memory',
    'meminfo: more than 2 % less',
    hw({ physicalMemoryBytes: (8092 - 164) * MIB, physicalMemoryMethod: 'meminfo' }),
    'failure',
  ],
  ['has-min-memory', 'no inventory', noInventory, 'pending'],
  ['has-cpu-cores-for-role', 'control plane with 4 cores', hw({ cpuCount: 4 }), 'success'],
  ['has-cpu-cores-for-role', 'control plane with 3 cores', hw({ cpuCount: 3 }), 'failure'],
  [
    'has-cpu-cores-for-role',
    'worker with 2 cores',
    given({ role: 'worker', hardware: sampleHardware({ cpuCount: 2 }) }),
    'success',
  ],
  [
    'has-cpu-cores-for-role',
    'single node with 7 cores',
    cl({ controlPlaneCount: 1 }, { hardware: sampleHardware({ cpuCount: 7 }) }),
    'failure',
  ],
  [
    'has-cpu-cores-for-role',
    'single node of 4.22 with 4 cores',
    cl({ controlPlaneCount: 1, openshiftVersion: '4.22.0' }, { hardware: sampleHardware({ cpuCount: 4 }) }),
    'success',
  ],
  ['has-cpu-cores-for-role', 'no inventory', noInventory, 'pending'],
  ['has-memory-for-role', 'control plane with 16284 MiB', hw({ physicalMemoryBytes: 16_284 * MIB }), 'success'],
  ['has-memory-for-role', 'one byte less than required', hw({ physicalMemoryBytes: 16_284 * MIB - 1 }), 'failure'],
  [
    'has-memory-for-role',
    'no tolerance for meminfo',
    hw({ physicalMemoryBytes: 16_283 * MIB, physicalMemoryMethod: 'meminfo' }),
    'failure',
  ],
  ['has-memory-for-role', 'no inventory', noInventory, 'pending'],
  ['has-min-valid-disks', 'one', given(), 'success'],
  ['has-min-valid-disks', 'too small', hw({ disks: [sampleDisk({ sizeBytes: 99e9 })] }), 'failure'],
  [
    'has-min-valid-disks',
    'small disk of an unbound host',
    sampleUnboundHost({ hardware: sampleHardware({ disks: [sampleDisk({ sizeBytes: 50e9 })] }) }),
    'success',
  ],
  [
    'has-min-valid-disks',
    'edge worker',
    given({
      role: 'worker',
      hardware: sampleHardware({
        cpuArchitecture: 'aarch64',
        productName: 'BlueField SoC',
        disks: [sampleDisk({ sizeBytes: 15e9 })],
      }),
    }),
    'success',
  ],
  [
    'has-min-valid-disks',
    'edge worker with other case and blanks in its product name',
    given({
      role: 'worker',
      hardware: sampleHardware({
        cpuArchitecture: 'aarch64',
        productName: 'BLUEFIELD  soc ',
        disks: [sampleDisk({ sizeBytes: 15e9 })],
      }),
    }),
    'success',
  ],
  ['has-min-valid-disks', 'no disk', hw({ disks: [] }), 'error'],
  ['has-min-valid-disks', 'no inventory', noInventory, 'pending'],
  ['sufficient-installation-disk-speed', 'not tested', given(), 'success'],
  ['sufficient-installation-disk-speed', 'tested', speed(0), 'success'],
  ['sufficient-installation-disk-speed', 'failed test', speed(1), 'failure'],
  [
    'sufficient-installation-disk-speed',
    'failed test of another disk',
    given({ installationDiskId: '/dev/other', installationDiskPath: '/dev/sdo', diskSpeeds: speed(1).diskSpeeds }),
    'success',
  ],
  ['sufficient-installation-disk-speed', 'no disk selected', given({ installationDiskId: '' }), 'error'],
  ['sufficient-installation-disk-speed', 'no inventory', noInventory, 'pending'],
  ['vsphere-disk-uuid-enabled', 'with UUID', vmware(true), 'success'],
  ['vsphere-disk-uuid-enabled', 'without UUID', vmware(false), 'failure'],
  ['vsphere-disk-uuid-enabled', 'RAID without UUID', vmware(false, 'RAID'), 'success'],
  ['vsphere-disk-uuid-enabled', 'other machines without UUID', hw({ disks: [sampleDisk({ hasUuid: false })] }), 'none'],
  ['vsphere-disk-uuid-enabled', 'no inventory', noInventory, 'pending'],
  ['no-skip-installation-disk', 'no excluded disk', given(), 'success'],
  ['no-skip-installation-disk', 'skipped', given({ skipFormattingDisks: ['/dev/disk/by-id/wwn-0x1'] }), 'failure'],
  ['no-skip-installation-disk', 'excluded by device path', given({ skipFormattingDisks: ['/dev/sda'] }), 'failure'],
  ['no-skip-missing-disk', 'there', given({ skipFormattingDisks: ['/dev/sda'] }), 'success'],
  ['no-skip-missing-disk', 'missing', given({ skipFormattingDisks: ['/dev/sdz'] }), 'failure'],
  [
    'no-skip-missing-disk',
    'truncated list of disks',
    given({ skipFormattingDisks: ['/dev/sdz'], hardware: sampleHardware({ diskCount: 2 }) }),
    'error',
  ],
  ['no-skip-missing-disk', 'no inventory', noInventory, 'pending'],
  ['compatible-agent', 'executable that can be replaced', executable('muster-host:2', ['x86_64']), 'failure'],
  ['compatible-agent', 'executable without one of its architecture', executable('muster-host:2', ['s390x']), 'success'],
  ['compatible-agent', 'executable beside a container image', executable('quay.io/agent:2', ['x86_64']), 'success'],
  [
    'compatible-agent',
    'executable without an inventory',
    { ...executable('muster-host:2', ['s390x']), hardware: undefined },
    'failure',
  ],
  [
    'compatible-agent',
    'container where the service has executables',
    { ...executable('muster-host:2', ['s390x']), agentVersion: 'quay.io/agent:1' },
    'failure',
  ],
];
