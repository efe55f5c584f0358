import { readCpu } from './hardware';
import type { MachineFiles } from './machine-files';

const cpuOf = (architecture: string, lines: readonly string[], kHzMax?: string) => {
  const files: MachineFiles = {
    text: (path) =>
      path === '/proc/cpuinfo' ? lines.join('\n') : path.endsWith('cpuinfo_max_freq') ? kHzMax : undefined,
    bytes: () => undefined,
    firstBytes: async () => undefined,
    resolved: () => undefined,
    link: () => undefined,
    exists: () => false,
    list: () => [],
  };
  return readCpu(files, architecture);
};

describe('the processors of a machine', () => {
  it('of ppc64le have their model, and the frequency of their clock', () => {
    const each = ['cpu\t\t: POWER9 (architected), altivec supported', 'clock\t\t: 2900.000000MHz'];
    expect(cpuOf('ppc64le', ['processor\t: 0', ...each, '', 'processor\t: 1', ...each])).toEqual({
      architecture: 'ppc64le',
      count: 2,
      flags: [],
      frequency: 2900,
      model_name: 'POWER9 (architected), altivec supported',
    });
  });

  it('of s390x have their static frequency', () => {
    const each = ['cpu number      : 0', 'cpu MHz dynamic : 5000', 'cpu MHz static  : 5200'];
    const first = 'processor 0: version = FF,  identification = 1,  machine = 3931';
    expect(cpuOf('s390x', ['features\t: zarch msa', first, '', ...each])).toEqual({
      architecture: 's390x',
      count: 1,
      flags: ['zarch', 'msa'],
      frequency: 5200,
      model_name: '3931',
    });
  });

  it('have the frequency that their driver permits, because the present one differs at each report', () => {
    // Processors that raise their frequency for a short time exceed the one of the driver.
    for (const present of ['1497.314', '3341.027'])
      expect(cpuOf('x86_64', ['processor\t: 0', `cpu MHz\t\t: ${present}`], '2250000').frequency).toBe(2250);
  });
});
