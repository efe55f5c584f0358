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
const CORES = { measured: '{0} cores', required: '{1} cores' };
const MEMORY = { measured: '{0} MiB', required: '{1} MiB' };

export const HARDWARE_RULES: readonly HostRule[] = [
  {
    id: 'has-min-cpu-cores',
    category: 'hardware',
    checks: 'At least as many CPU cores as the least demanding role requires.',
    needs: ['inventory'],
    claim: (facts) => {
      const { cpuCores } = leastRequirements(facts);
      const hardware = hardwareOf(facts);
      return passIf(hasCores(hardware, cpuCores), hardware.cpuCount, cpuCores);
    },
    messages: {
      success: { message: 'The host has {0} CPU cores', ...CORES },
      failure: { message: 'The host has {0} CPU cores, at least {1} are required for any role', ...CORES },
    },
    remedy: MORE_CPU,
    gate: 'hardware',
    inPool: true,
  },
  {
    id: 'has-min-memory',
    category: 'hardware',
    checks:
      'At least as much memory as the least demanding role requires, less 100 MiB (and 2 % when only the kernel reports it).',
    needs: ['inventory'],
    claim: (facts) => {
      const { ramMib } = leastRequirements(facts);
      const hardware = hardwareOf(facts);
      const isEnough = hasMemory(hardware, ramMib, minimumToleranceMib(hardware, ramMib));
      return passIf(isEnough, toMib(hardware.physicalMemoryBytes), ramMib);
    },
    messages: {
      success: { message: 'The host has {0} MiB of memory', ...MEMORY },
      failure: { message: 'The host has {0} MiB of memory, at least {1} MiB are required for any role', ...MEMORY },
    },
    remedy: MORE_MEMORY,
    gate: 'hardware',
    inPool: true,
  },
  {
    id: 'has-cpu-cores-for-role',
    category: 'hardware',
    checks: 'At least as many CPU cores as the role of the host requires.',
    needs: ['inventory'],
    claim: (facts) => {
      const { cpuCores } = requirementsForRole(facts);
      const hardware = hardwareOf(facts);
      const role = effectiveRole(facts.role, facts.suggestedRole);
      return passIf(hasCores(hardware, cpuCores), hardware.cpuCount, cpuCores, role);
    },
    messages: {
      success: { message: 'The host has {0} CPU cores, enough for role {2}', ...CORES },
      failure: { message: 'The host has {0} CPU cores, role {2} requires {1}', ...CORES },
    },
    remedy: `${MORE_CPU} Or give the host a role that requires less.`,
    gate: 'known',
  },
  {
    id: 'has-memory-for-role',
    category: 'hardware',
    checks: 'At least as much memory as the role of the host requires, less 100 MiB.',
    needs: ['inventory'],
    claim: (facts) => {
      const { ramMib } = requirementsForRole(facts);
      const hardware = hardwareOf(facts);
      const role = effectiveRole(facts.role, facts.suggestedRole);
      return passIf(hasMemory(hardware, ramMib), toMib(hardware.physicalMemoryBytes), ramMib, role);
    },
    messages: {
      success: { message: 'The host has {0} MiB of memory, enough for role {2}', ...MEMORY },
      failure: { message: 'The host has {0} MiB of memory, role {2} requires {1} MiB', ...MEMORY },
    },
    remedy: `${MORE_MEMORY} Or give the host a role that requires less.`,
    gate: 'known',
  },
];
