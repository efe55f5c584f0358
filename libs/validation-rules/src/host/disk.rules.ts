import { hardwareOf, type HostFacts, versionOf } from '../facts/host.facts';
import { diskIdOf, eligibleDisks } from '../hardware/disk-eligibility';
import type { Disk } from '../hardware/hardware';
import { requirementsForRole } from '../hardware/host-requirements';
import { isDisk } from '../hardware/installation-disk';
import { broken, fail, pass, passBecause, passIf } from '../rule/rule';
import type { HostRule } from './host-rule';

const UUID_TYPES = ['HDD', 'SSD', 'Multipath', 'FC', 'ECKD', 'ECKD (ESE)', 'FBA'];
const VMWARE = 'VMware, Inc.';

const eligibleOf = (facts: HostFacts): readonly Disk[] =>
  eligibleDisks(hardwareOf(facts), versionOf(facts), requirementsForRole(facts).diskSizeGb);

/** Returns the ids of disks that must not be formatted and that the host does not have. */
function missingSkipped(facts: HostFacts): readonly string[] {
  const { disks } = hardwareOf(facts);
  return facts.skipFormattingDisks.filter((id) => !disks.some((disk) => isDisk(disk, id)));
}

export const DISK_RULES: readonly HostRule[] = [
  {
    id: 'has-min-valid-disks',
    category: 'hardware',
    checks: 'At least one eligible disk: large enough, of a supported type, not removable.',
    needs: ['inventory'],
    claim: (facts) => {
      if (hardwareOf(facts).disks.length === 0) return broken('no-disk');
      return eligibleOf(facts).length > 0 ? pass() : fail(requirementsForRole(facts).diskSizeGb);
    },
    messages: {
      success: 'The host has an eligible disk',
      failure: { message: 'The host has no eligible disk of at least {0} GB', required: '1 disk of {0} GB' },
      'no-disk': 'The inventory lists no disk',
    },
    remedy: 'Add a disk that is large enough. The inventory lists for each disk why it is not eligible.',
    gate: 'hardware',
    inPool: true,
  },
  {
    id: 'sufficient-installation-disk-speed',
    category: 'hardware',
    checks: 'The speed test of the installation disk, which runs during the preparation, has not failed.',
    needs: ['inventory'],
    claim: (facts) => {
      if (facts.installationDiskId === '') return broken('no-installation-disk');
      const test = installationDiskTest(facts);
      if (!test) return passBecause('not-measured');
      if (test.exitCode !== 0) return fail();
      return pass(test.ioSyncDurationMs, requirementsForRole(facts).installationDiskSpeedMsMax);
    },
    messages: {
      success: {
        message: 'The installation disk syncs in {0} ms, at most {1} ms are recommended',
        measured: '{0} ms',
        required: '{1} ms',
      },
      failure: 'The speed of the installation disk could not be measured',
      'not-measured': 'The speed of the installation disk has not been measured yet',
      'no-installation-disk': 'The host has no installation disk',
    },
    remedy: 'Choose another installation disk, or reset this validation to measure the speed again.',
    gate: 'disk-speed',
  },
  {
    id: 'vsphere-disk-uuid-enabled',
    category: 'hardware',
    checks: 'On VMware machines, every eligible disk has a UUID.',
    boundOnly: true,
    applies: ({ hardware }) => !hardware || hardware.manufacturer === VMWARE,
    needs: ['inventory'],
    claim: (facts) => {
      const lacking = eligibleOf(facts).filter((disk) => UUID_TYPES.includes(disk.driveType) && !disk.hasUuid);
      return lacking.length === 0 ? pass() : fail(lacking.map(({ name }) => name).join(', '));
    },
    messages: {
      success: 'All eligible disks have a UUID',
      failure: { message: 'These disks have no UUID: {0}', measured: '{0}' },
    },
    remedy: 'Set disk.EnableUUID to TRUE in the settings of the virtual machine.',
    gate: 'disk-uuid',
  },
  {
    id: 'no-skip-installation-disk',
    category: 'hardware',
    checks: 'The installation disk is not in the list of disks that must not be formatted.',
    needs: [],
    claim: (facts) => {
      const disk = hardwareOf(facts).disks.find((other) => diskIdOf(other) === facts.installationDiskId);
      const skipped = facts.skipFormattingDisks.some(
        (id) => id === facts.installationDiskId || (disk && isDisk(disk, id)),
      );
      return facts.installationDiskId !== '' && skipped ? fail(facts.installationDiskId) : pass();
    },
    messages: {
      success: 'The installation disk may be formatted',
      failure: {
        message: 'The installation disk {0} is in the list of disks that must not be formatted',
        measured: '{0}',
      },
    },
    remedy: 'Choose another installation disk, or remove this disk from the list.',
    gate: 'known',
  },
  {
    id: 'no-skip-missing-disk',
    category: 'hardware',
    checks: 'The host has every disk in the list of disks that must not be formatted.',
    needs: ['inventory'],
    claim: (facts) => {
      const missing = missingSkipped(facts);
      const { disks, diskCount } = hardwareOf(facts);
      if (missing.length > 0 && diskCount > disks.length)
        return broken('not-listed', disks.length, diskCount, missing.join(', '));
      return passIf(missing.length === 0, ...(missing.length > 0 ? [missing.join(', ')] : []));
    },
    messages: {
      success: 'The host has all disks that must not be formatted',
      failure: { message: 'The host does not have these disks, which must not be formatted: {0}', measured: '{0}' },
      'not-listed': 'The inventory lists only {0} of {1} disks, so that {2} cannot be checked',
    },
    remedy: 'Attach the disk again, or remove it from the list.',
    gate: 'known',
  },
];

/** Returns the speed test of the present installation disk, or undefined when there is none. */
export function installationDiskTest(facts: HostFacts): HostFacts['diskSpeeds'][number] | undefined {
  const { installationDiskId, installationDiskPath } = facts;
  const disk = hardwareOf(facts).disks.find((other) => diskIdOf(other) === installationDiskId);
  return facts.diskSpeeds.find(
    ({ path }) => path === installationDiskId || path === installationDiskPath || (disk && isDisk(disk, path)),
  );
}
