import { hardwareOf, type HostFacts, isBound, versionOf } from '../facts/host.facts';
import { diskIdOf, eligibleDisks } from '../hardware/disk-eligibility';
import type { Disk } from '../hardware/hardware';
import { requirementsForRole } from '../hardware/host-requirements';
import { isDisk } from '../hardware/installation-disk';
import { broken, pass, fail, passIf } from '../rule/rule';
import type { HostRule } from './host-rule';

const UUID_TYPES = ['HDD', 'SSD', 'Multipath', 'FC', 'ECKD', 'ECKD (ESE)', 'FBA'];
const VMWARE = 'VMware, Inc.';

const eligibleOf = (facts: HostFacts): readonly Disk[] =>
  eligibleDisks(hardwareOf(facts), versionOf(facts), requirementsForRole(facts).diskSizeGb);

/** Ids that are to be kept as they are although the host has no such disk. */
function missingSkipped(facts: HostFacts): readonly string[] {
  const { disks } = hardwareOf(facts);
  return facts.skipFormattingDisks.filter((id) => !disks.some((disk) => isDisk(disk, id)));
}

export const DISK_RULES: readonly HostRule[] = [
  {
    id: 'has-min-valid-disks',
    category: 'hardware',
    checks: 'At least one disk that OpenShift may be installed on: large enough, of a fit type, not removable.',
    needs: ['inventory'],
    claim: (facts) => {
      if (hardwareOf(facts).disks.length === 0) return broken('No disk was found on the host');
      return passIf(eligibleOf(facts).length > 0, '', `1 disk of ${requirementsForRole(facts).diskSizeGb} GB`);
    },
    explain: ({ passed, required }) =>
      passed ? 'There is a disk to install on' : `No disk of the host can be installed on, needed is ${required}`,
    remedy: 'Add a disk that is large enough; the inventory says of each disk why it cannot be used.',
    gate: 'hardware',
    inPool: true,
  },
  {
    id: 'sufficient-installation-disk-speed',
    category: 'hardware',
    checks: 'The speed test of the installation disk, run while preparing, did not fail.',
    needs: ['inventory'],
    claim: (facts) => {
      if (facts.installationDiskId === '') return broken('No installation disk has been chosen');
      const test = installationDiskTest(facts);
      if (!test) return { ...pass(), because: 'Speed of the installation disk has not been measured yet' };
      if (test.exitCode !== 0) return fail();
      const { installationDiskSpeedMsMax } = requirementsForRole(facts);
      return pass(`${test.ioSyncDurationMs} ms`, `${installationDiskSpeedMsMax} ms`);
    },
    explain: ({ passed, measured, required }) =>
      passed
        ? `Installation disk syncs in ${measured}, recommended are at most ${required}`
        : 'Speed of the installation disk could not be measured',
    remedy: 'Choose another installation disk, or reset this validation to measure again.',
    gate: 'disk-speed',
  },
  {
    id: 'vsphere-disk-uuid-enabled',
    category: 'hardware',
    checks: 'On VMware machines every disk that can be installed on tells its UUID.',
    applies: (facts) => isBound(facts) && (!facts.hardware || facts.hardware.manufacturer === VMWARE),
    needs: ['inventory'],
    claim: (facts) => {
      const mute = eligibleOf(facts).filter((disk) => UUID_TYPES.includes(disk.driveType) && !disk.hasUuid);
      return passIf(mute.length === 0, mute.map(({ name }) => name).join(', '));
    },
    explain: ({ passed, measured }) => (passed ? 'Disks tell their UUID' : `Disks without a UUID: ${measured}`),
    remedy: 'Set disk.EnableUUID to TRUE in the settings of the virtual machine.',
    gate: 'disk-uuid',
  },
  {
    id: 'no-skip-installation-disk',
    category: 'hardware',
    checks: 'The installation disk is not among the disks to be left unformatted.',
    needs: [],
    claim: (facts) => {
      const disk = hardwareOf(facts).disks.find((other) => diskIdOf(other) === facts.installationDiskId);
      const skipped = facts.skipFormattingDisks.some(
        (id) => id === facts.installationDiskId || (disk && isDisk(disk, id)),
      );
      return facts.installationDiskId !== '' && skipped ? fail(facts.installationDiskId) : pass();
    },
    explain: ({ passed, measured }) =>
      passed ? 'Installation disk may be formatted' : `Installation disk ${measured} is to be left unformatted`,
    remedy: 'Choose another installation disk, or take this one off the list of disks to be left unformatted.',
    gate: 'known',
  },
  {
    id: 'no-skip-missing-disk',
    category: 'hardware',
    checks: 'Every disk that is to be left unformatted is there.',
    needs: ['inventory'],
    claim: (facts) => {
      const missing = missingSkipped(facts);
      const { disks, diskCount } = hardwareOf(facts);
      if (missing.length > 0 && diskCount > disks.length)
        return broken(`Only ${disks.length} of ${diskCount} disks are listed: ${missing.join(', ')} cannot be checked`);
      return passIf(missing.length === 0, missing.join(', '));
    },
    explain: ({ passed, measured }) =>
      passed ? 'Disks to be left unformatted are all there' : `Disks to be left unformatted do not exist: ${measured}`,
    remedy: 'Attach the disk again, or take it off the list of disks to be left unformatted.',
    gate: 'known',
  },
];

/** The speed test of the disk that is now chosen, if it was tested. */
export function installationDiskTest(facts: HostFacts): HostFacts['diskSpeeds'][number] | undefined {
  const { installationDiskId, installationDiskPath } = facts;
  const disk = hardwareOf(facts).disks.find((other) => diskIdOf(other) === installationDiskId);
  return facts.diskSpeeds.find(
    ({ path }) => path === installationDiskId || path === installationDiskPath || (disk && isDisk(disk, path)),
  );
}
