import { hardwareOf } from '../facts/host.facts';
import {
  hasCores,
  hasMemory,
  leastRequirements,
  minimumToleranceMib,
  requirementsForRole,
  toMib,
} from '../hardware/host-requirements';
import { effectiveRole } from '../roles/effective-role';
import { passIf } from '../rule/rule';
import type { HostRule } from './host-rule';

const MORE_CPU = 'Give the machine more CPU cores, or use another machine.';
const MORE_MEMORY = 'Give the machine more memory, or use another machine.';

export const HARDWARE_RULES: readonly HostRule[] = [
  {
    id: 'has-min-cpu-cores',
    category: 'hardware',
    checks: 'At least as many CPU cores as the least demanding role needs.',
    needs: ['inventory'],
    claim: (facts) => {
      const { cpuCores } = leastRequirements(facts);
      const hardware = hardwareOf(facts);
      return passIf(hasCores(hardware, cpuCores), `${hardware.cpuCount} cores`, `${cpuCores} cores`);
    },
    explain: ({ passed, measured, required }) =>
      passed ? `CPU has ${measured}` : `CPU has ${measured}, any role needs at least ${required}`,
    remedy: MORE_CPU,
    gate: 'hardware',
    inPool: true,
  },
  {
    id: 'has-min-memory',
    category: 'hardware',
    checks:
      'At least as much memory as the least demanding role needs, less 100 MiB (and 2 % when only the kernel can tell).',
    needs: ['inventory'],
    claim: (facts) => {
      const { ramMib } = leastRequirements(facts);
      const hardware = hardwareOf(facts);
      const enough = hasMemory(hardware, ramMib, minimumToleranceMib(hardware, ramMib));
      return passIf(enough, `${toMib(hardware.physicalMemoryBytes)} MiB`, `${ramMib} MiB`);
    },
    explain: ({ passed, measured, required }) =>
      passed ? `Host has ${measured} of memory` : `Host has ${measured} of memory, any role needs at least ${required}`,
    remedy: MORE_MEMORY,
    gate: 'hardware',
    inPool: true,
  },
  {
    id: 'has-cpu-cores-for-role',
    category: 'hardware',
    checks: 'At least as many CPU cores as the role of the host needs.',
    needs: ['inventory'],
    claim: (facts) => {
      const { cpuCores } = requirementsForRole(facts);
      const hardware = hardwareOf(facts);
      return passIf(hasCores(hardware, cpuCores), `${hardware.cpuCount} cores`, `${cpuCores} cores`);
    },
    explain: ({ passed, measured, required }, facts) => {
      const role = effectiveRole(facts.role, facts.suggestedRole);
      return passed
        ? `CPU has ${measured}, enough for role ${role}`
        : `CPU has ${measured}, role ${role} needs ${required}`;
    },
    remedy: `${MORE_CPU} Or give the host a role that needs less.`,
    gate: 'known',
  },
  {
    id: 'has-memory-for-role',
    category: 'hardware',
    checks: 'At least as much memory as the role of the host needs, less 100 MiB.',
    needs: ['inventory'],
    claim: (facts) => {
      const { ramMib } = requirementsForRole(facts);
      const hardware = hardwareOf(facts);
      return passIf(hasMemory(hardware, ramMib), `${toMib(hardware.physicalMemoryBytes)} MiB`, `${ramMib} MiB`);
    },
    explain: ({ passed, measured, required }, facts) => {
      const role = effectiveRole(facts.role, facts.suggestedRole);
      return passed
        ? `Host has ${measured} of memory, enough for role ${role}`
        : `Host has ${measured} of memory, role ${role} needs ${required}`;
    },
    remedy: `${MORE_MEMORY} Or give the host a role that needs less.`,
    gate: 'known',
  },
];
