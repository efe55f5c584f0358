import { isDay2Cluster } from '../facts/cluster-settings.facts';
import {
  AUTO_ASSIGN,
  clusterOf,
  effectiveRole,
  hardwareOf,
  type HostFacts,
  isDay2Host,
  versionOf,
} from '../facts/host.facts';
import type { Disk } from '../hardware/hardware';
import { requirementsForRole } from '../hardware/host-requirements';
import { diskIdOf, eligibleDisks, isDisk } from '../hardware/installation-disk';
import { broken, type Claim, fail, failBecause, pass, passBecause, passIf, pending, SUPPRESSED } from '../rule/rule';
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
    checks: 'At least one disk is eligible: large enough, of a supported type, not removable.',
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
    blocksUnbound: true,
  },
  {
    id: 'sufficient-installation-disk-speed',
    measuredBy: 'installation-disk-speed-check',
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

/** Returns the speed test of the current installation disk, or undefined when there is none. */
export function installationDiskTest(facts: HostFacts): HostFacts['diskSpeeds'][number] | undefined {
  const { installationDiskId, installationDiskPath } = facts;
  const disk = hardwareOf(facts).disks.find((other) => diskIdOf(other) === installationDiskId);
  return facts.diskSpeeds.find(
    ({ path }) => path === installationDiskId || path === installationDiskPath || (disk && isDisk(disk, path)),
  );
}

const TPM_NEEDED = '2.0';
const isForDay2 = (facts: HostFacts): boolean => isDay2Host(facts) || isDay2Cluster(clusterOf(facts));

const isConfigured = (facts: HostFacts): boolean => {
  const { enableOn } = clusterOf(facts).diskEncryption;
  return enableOn !== '' && enableOn !== 'none';
};

/** `all`, or a comma-separated list of masters, arbiters and workers. */
function isEncrypted(facts: HostFacts): boolean {
  const enabled = clusterOf(facts)
    .diskEncryption.enableOn.split(',')
    .map((one) => one.trim());
  const role = effectiveRole(facts.role, facts.suggestedRole);
  return (
    role === AUTO_ASSIGN || enabled.includes('all') || enabled.includes(`${role === 'bootstrap' ? 'master' : role}s`)
  );
}

function applies(facts: HostFacts): boolean {
  if (!isForDay2(facts)) return isConfigured(facts) && isEncrypted(facts);
  const { workerEncryption } = facts;
  return workerEncryption === undefined || workerEncryption === '' ? isConfigured(facts) : workerEncryption !== 'none';
}

function modeClaim(facts: HostFacts, mode: string): Claim {
  if (mode === 'tang') {
    if (facts.isTangReached === undefined) return pending('awaits-tang');
    return facts.isTangReached ? pass() : failBecause('tang-unreachable');
  }
  const { tpmVersion } = hardwareOf(facts);
  return passIf(tpmVersion === TPM_NEEDED, ...(tpmVersion === TPM_NEEDED ? [] : [tpmVersion || 'none', TPM_NEEDED]));
}

function encryptionClaim(facts: HostFacts): Claim {
  if (isForDay2(facts)) {
    const { workerEncryption } = facts;
    if (!workerEncryption) return pending('awaits-ignition');
    return workerEncryption === 'other' ? failBecause('unsupported') : modeClaim(facts, workerEncryption);
  }
  if (effectiveRole(facts.role, facts.suggestedRole) === AUTO_ASSIGN) return pending('awaits-role');
  return modeClaim(facts, clusterOf(facts).diskEncryption.mode);
}

export const ENCRYPTION_RULES: readonly HostRule[] = [
  {
    id: 'disk-encryption-requirements-satisfied',
    category: 'hardware',
    checks: `When disks are encrypted: the host has a TPM ${TPM_NEEDED}, or reaches the Tang servers.`,
    boundOnly: true,
    applies,
    initial: SUPPRESSED,
    needs: ['inventory'],
    claim: encryptionClaim,
    messages: {
      success: 'The installation disk can be encrypted',
      failure: {
        message: 'The installation disk cannot be encrypted: TPM version {0}, required is {1}',
        measured: 'TPM {0}',
        required: 'TPM {1}',
      },
      'tang-unreachable': 'The installation disk cannot be encrypted: the host does not reach the Tang servers',
      unsupported: 'The installed cluster encrypts disks neither with TPM nor with Tang',
      'awaits-tang': 'Waiting for the host to reach the Tang servers',
    },
    remedy: 'Enable TPM 2.0 in the firmware, correct the Tang servers, or do not encrypt the disks of this role.',
    gate: 'hardware',
    mayFlap: true,
  },
];
