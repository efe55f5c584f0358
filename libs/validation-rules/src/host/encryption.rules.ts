import { isDay2Cluster } from '../facts/cluster-settings.facts';
import { clusterOf, hardwareOf, type HostFacts, isBound, isDay2Host } from '../facts/host.facts';
import { AUTO_ASSIGN, effectiveRole } from '../roles/effective-role';
import { type Claim, fail, pass, passIf, pending } from '../rule/rule';
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
  if (!isBound(facts)) return false;
  if (!isForDay2(facts)) return isConfigured(facts) && isEncrypted(facts);
  const { workerEncryption } = facts;
  return workerEncryption === undefined || workerEncryption === '' ? isConfigured(facts) : workerEncryption !== 'none';
}

function modeClaim(facts: HostFacts, mode: string): Claim {
  if (mode === 'tang') {
    if (facts.isTangReached === undefined) return pending('Waiting for the host to reach the Tang servers');
    return passIf(facts.isTangReached, 'Tang servers that cannot be reached', 'Tang servers that answer');
  }
  const { tpmVersion } = hardwareOf(facts);
  return passIf(tpmVersion === TPM_NEEDED, `TPM ${tpmVersion || 'none'}`, `TPM ${TPM_NEEDED}`);
}

function encryptionClaim(facts: HostFacts): Claim {
  if (isForDay2(facts)) {
    const { workerEncryption } = facts;
    if (!workerEncryption)
      return pending('Waiting for the ignition of the installed cluster, which tells how disks are encrypted');
    if (workerEncryption === 'none') return pass();
    return workerEncryption === 'other'
      ? fail('neither TPM nor Tang', 'TPM or Tang')
      : modeClaim(facts, workerEncryption);
  }
  if (effectiveRole(facts.role, facts.suggestedRole) === AUTO_ASSIGN)
    return pending('Waiting for the role of the host, which tells whether its disk is encrypted');
  return modeClaim(facts, clusterOf(facts).diskEncryption.mode);
}

export const ENCRYPTION_RULES: readonly HostRule[] = [
  {
    id: 'disk-encryption-requirements-satisfied',
    category: 'hardware',
    checks: `Where disks are encrypted: the host has a TPM ${TPM_NEEDED}, or reaches the Tang servers.`,
    applies,
    needs: ['inventory'],
    claim: encryptionClaim,
    explain: ({ passed, measured, required }) =>
      passed ? 'Disk can be encrypted' : `Disk cannot be encrypted: there is ${measured}, needed is ${required}`,
    remedy: 'Switch on TPM 2.0 in the firmware, correct the Tang servers, or do not encrypt the disks of this role.',
    gate: 'hardware',
    comesAndGoes: true,
  },
];
