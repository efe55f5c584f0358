import { isDay2Cluster } from '../facts/cluster-settings.facts';
import { clusterOf, hardwareOf, type HostFacts, isDay2Host } from '../facts/host.facts';
import { AUTO_ASSIGN, effectiveRole } from '../roles/effective-role';
import { type Claim, failBecause, pass, passIf, pending, SUPPRESSED } from '../rule/rule';
import type { HostRule } from './host-rule';

const TPM_NEEDED = '2.0';
const isForDay2 = (facts: HostFacts): boolean => isDay2Host(facts) || isDay2Cluster(clusterOf(facts));

const isConfigured = (facts: HostFacts): boolean => {
  const { enableOn } = clusterOf(facts).diskEncryption;
  return enableOn !== '' && enableOn !== 'none';
};

/** `all`, or a comma list of masters, arbiters and workers. */
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
    if (workerEncryption === 'none') return pass();
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
    comesAndGoes: true,
  },
];
