import { hardwareOf } from '../facts/host.facts';
import { broken, fail, passIf } from '../rule/rule';
import type { HostRule } from './host-rule';

const TRUNCATIONS = ['none', '', 'partial', 'full'];

export const INVENTORY_RULES: readonly HostRule[] = [
  {
    id: 'has-inventory',
    category: 'hardware',
    checks: 'The host has reported its hardware.',
    needs: [],
    claim: ({ hardware }) => passIf(hardware !== undefined),
    messages: { success: 'Valid inventory exists for the host', failure: 'Inventory has not been received yet' },
    initial: fail(),
    remedy: 'Wait for the agent. If no inventory arrives within minutes, read the log of the agent on the host.',
    gate: 'inventory',
    inPool: true,
  },
  {
    id: 'inventory-not-partially-truncated',
    category: 'hardware',
    checks: 'The inventory lists all disks.',
    needs: ['inventory'],
    claim: (facts) => {
      const { truncation } = hardwareOf(facts);
      if (!TRUNCATIONS.includes(truncation)) return broken('unknown-truncation', truncation);
      return passIf(truncation !== 'partial');
    },
    messages: {
      success: 'The inventory lists all disks',
      failure: 'The inventory was too large, so that some disks are missing in it',
      'unknown-truncation': 'The inventory has an unknown truncation type "{0}"',
    },
    remedy: 'Detach disks that the host does not need, or raise the size limit of the inventory.',
    gate: 'none',
  },
  {
    id: 'inventory-not-fully-truncated',
    category: 'hardware',
    checks: 'The inventory has not lost its content.',
    needs: ['inventory'],
    claim: (facts) => passIf(hardwareOf(facts).truncation !== 'full'),
    messages: { success: 'The inventory is usable', failure: 'The inventory was too large to be sent' },
    remedy: 'Detach disks and network devices that the host does not need, or raise the size limit of the inventory.',
    gate: 'truncation',
    inPool: true,
  },
];
