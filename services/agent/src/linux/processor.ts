import type { Cpu } from '../machine/inventory';
import type { MachineFiles } from './machine-files';

const KHZ_PER_MHZ = 1000;

export function readCpu(files: MachineFiles, architecture: string): Cpu {
  const lines = (files.text('/proc/cpuinfo') ?? '').split('\n').map((line) => line.split(/\s*:\s*/));
  const valuesOf = (name: string): string[] =>
    lines.flatMap(([key, ...value]) => (key?.trim().toLowerCase() === name ? [value.join(': ')] : []));
  // s390x writes "processor 0", all others "processor : 0".
  const processors = lines.filter(([key]) => /^processor( \d+)?$/i.test(key?.trim() ?? ''));
  const kHzMax = Number(files.text('/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq') ?? 0);
  const flags = (valuesOf('flags')[0] ?? valuesOf('features')[0] ?? '').split(' ');
  return {
    architecture,
    count: processors.length,
    flags: flags.filter((flag) => flag !== ''),
    frequency: Math.max(0, kHzMax / KHZ_PER_MHZ, ...valuesOf('cpu mhz').map(Number).filter(Number.isFinite)),
    model_name: valuesOf('model name')[0],
  };
}
