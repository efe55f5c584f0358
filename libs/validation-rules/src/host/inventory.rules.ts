import { hardwareOf } from '../facts/host.facts';
import { broken, passIf } from '../rule/rule';
import type { HostRule } from './host-rule';

const TRUNCATIONS = ['none', '', 'partial', 'full'];

export const INVENTORY_RULES: readonly HostRule[] = [
  {
    id: 'has-inventory',
    category: 'hardware',
    checks: 'The host has reported its hardware.',
    needs: [],
    claim: ({ hardware }) => passIf(hardware !== undefined),
    explain: ({ passed }) => (passed ? 'Hardware is known' : 'Hardware has not been reported yet'),
    remedy: 'Wait for the agent; if nothing comes within minutes, look at its log on the host.',
    gate: 'inventory',
    inPool: true,
  },
  {
    id: 'inventory-not-partially-truncated',
    category: 'hardware',
    checks: 'The agent reported all disks, not only those it had room for.',
    needs: ['inventory'],
    claim: (facts) => {
      const { truncation } = hardwareOf(facts);
      if (!TRUNCATIONS.includes(truncation)) return broken(`Inventory is cut in an unknown way: "${truncation}"`);
      return passIf(truncation !== 'partial');
    },
    explain: ({ passed }) =>
      passed ? 'Inventory lacks no disks' : 'Inventory was too large, so some disks were left out of it',
    remedy: 'Detach disks that the host does not need, or raise the size limit of the inventory.',
    gate: 'none',
  },
  {
    id: 'inventory-not-fully-truncated',
    category: 'hardware',
    checks: 'The inventory still has its content.',
    needs: ['inventory'],
    claim: (facts) => passIf(hardwareOf(facts).truncation !== 'full'),
    explain: ({ passed }) => (passed ? 'Inventory has its content' : 'Inventory was too large to be sent at all'),
    remedy: 'Detach disks and network devices that the host does not need, or raise the size limit of the inventory.',
    gate: 'truncation',
    inPool: true,
  },
];
