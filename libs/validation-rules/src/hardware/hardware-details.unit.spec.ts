import { sampleDisk, sampleHardware, sampleHost, sampleSettings, sampleUnboundHost } from '../facts/sample.facts';
import { leastRequirements, requirementsForRole, requirementsRole, toMib } from './host-requirements';
import { assessDisks } from './installation-disk';
import { DEFAULT_REQUIREMENTS, parseRequirements, requirementsOf, type RequirementsTable } from './requirements';

const full = { cpu_cores: 4, ram_mib: 1_000, disk_size_gb: 100, installation_disk_speed_threshold_ms: 10 };
function parsed(...entries: readonly object[]): RequirementsTable {
  const result = parseRequirements(JSON.stringify(entries));
  if (result.kind === 'unreadable') throw new Error(result.reason);
  return result.table;
}
const withTable = (requirements: RequirementsTable) => ({ policy: { ...sampleHost().policy, requirements } });
const STANDARD = { version: 'default', master: full, worker: full, sno: full };

describe('the requirements of a host', () => {
  it.each([
    ['master', false, 'master'],
    ['bootstrap', false, 'master'],
    ['master', true, 'sno'],
    ['arbiter', false, 'arbiter'],
    ['worker', false, 'worker'],
    ['auto-assign', false, 'worker'],
  ])('of role %s, single node %s, are those of %s', (role, isOnlyNode, row) => {
    expect(requirementsRole(role, isOnlyNode, sampleHardware(), [])).toBe(row);
  });

  it('of an arbiter include a smaller disk', () => {
    expect(requirementsForRole(sampleHost({ role: 'arbiter' })).diskSizeGb).toBe(50);
    expect(requirementsForRole(sampleHost({ role: 'worker' })).diskSizeGb).toBe(100);
  });

  it('without a cluster are those of the role with the smallest disk', () => {
    const disk = (gb: number) => ({ ...full, disk_size_gb: gb });
    const least = (master: number, worker: number, arbiter: number) => {
      const table = parsed({ ...STANDARD, master: disk(master), worker: disk(worker), arbiter: disk(arbiter) });
      return requirementsForRole(sampleUnboundHost(withTable(table))).diskSizeGb;
    };
    expect([least(60, 50, 70), least(50, 60, 70), least(70, 60, 50)]).toEqual([50, 50, 50]);
  });

  it('without a cluster are those of the worker when its disk is as small as the others', () => {
    const cores = (count: number) => ({ ...full, cpu_cores: count });
    const table = parsed({ ...STANDARD, master: cores(1), worker: cores(2), arbiter: cores(3) });
    expect(requirementsForRole(sampleUnboundHost(withTable(table))).cpuCores).toBe(2);
  });

  it('for any role are those of the control plane when it requires less', () => {
    const sized = (count: number) => ({ ...full, cpu_cores: count, ram_mib: count * 1_000 });
    const table = parsed({ ...STANDARD, master: sized(3), sno: sized(2), worker: sized(4) });
    const least = (controlPlaneCount: number) =>
      leastRequirements(sampleHost({ ...withTable(table), cluster: sampleSettings({ controlPlaneCount }) }));
    expect([least(3), least(1)]).toEqual([
      { cpuCores: 3, ramMib: 3_000 },
      { cpuCores: 2, ramMib: 2_000 },
    ]);
  });

  it('do not include operators on day 2', () => {
    const operators = ['cnv'];
    const cores = (kind: string) =>
      requirementsForRole(sampleHost({ role: 'worker', cluster: sampleSettings({ operators, kind }) })).cpuCores;
    expect([cores('Cluster'), cores('AddHostsCluster')]).toEqual([4, 2]);
  });

  it('compare whole MiB', () => {
    expect([toMib(1024 ** 2 * 2 - 1), toMib(1024 ** 2 * 2)]).toEqual([1, 2]);
  });
});

describe('a table of requirements', () => {
  it.each(['master', 'arbiter', 'worker', 'sno', 'edge-worker'] as const)('may change %s for one version', (role) => {
    const table = parsed(STANDARD, { version: '4.18.3', [role]: { cpu_cores: 9 } });
    expect(requirementsOf(table, '4.18.3')).toEqual({
      ...table.standard,
      [role]: { ...table.standard[role], cpuCores: 9 },
    });
    expect(requirementsOf(table, '4.18.4')).toEqual(table.standard);
  });

  it('has separate values of all roles', () => {
    const cores = (count: number) => ({ ...full, cpu_cores: count });
    const table = parsed({
      version: 'default',
      master: cores(1),
      arbiter: cores(2),
      worker: cores(3),
      sno: cores(4),
      'edge-worker': cores(5),
    });
    const { standard } = table;
    expect(Object.entries(standard).map(([role, { cpuCores }]) => [role, cpuCores])).toEqual([
      ['master', 1],
      ['arbiter', 2],
      ['worker', 3],
      ['sno', 4],
      ['edge-worker', 5],
    ]);
  });

  it('has the highest minimum version that applies, in any order of the entries', () => {
    const since = (version: string, cores: number) => ({
      version,
      match_type: 'min_version',
      master: { cpu_cores: cores },
    });
    const entries = [
      since('4.16', 16),
      since('4.18', 18),
      since('4.17', 17),
      { version: '4.9', master: { cpu_cores: 9 } },
    ];
    const cores = (version: string) => requirementsOf(parsed(STANDARD, ...entries), version).master.cpuCores;
    expect(['4.15.9', '4.16.0', '4.17.5', '4.18.0', '4.9', '4.9.0'].map(cores)).toEqual([4, 16, 17, 18, 9, 4]);
  });

  it('may require nothing', () => {
    const none = { cpu_cores: 0, ram_mib: 0, disk_size_gb: 0, installation_disk_speed_threshold_ms: 0 };
    expect(parsed({ ...STANDARD, worker: none }).standard.worker).toMatchObject({ cpuCores: 0, ramMib: 0 });
  });

  it.each(['cpu_cores', 'ram_mib', 'disk_size_gb', 'installation_disk_speed_threshold_ms'])(
    'requires %s of each role of the default entry',
    (field) => {
      const entry = { ...STANDARD, worker: { ...full, [field]: null } };
      expect(parseRequirements(JSON.stringify([entry]))).toMatchObject({
        kind: 'unreadable',
        reason: expect.stringContaining(`of the default entry lacks ${field}. Set all of them`) as string,
      });
    },
  );

  it('names all absent fields', () => {
    expect(parseRequirements(JSON.stringify([{ ...STANDARD, master: { cpu_cores: 1, ram_mib: 1 } }]))).toMatchObject({
      reason: expect.stringContaining(
        'master of the default entry lacks disk_size_gb, installation_disk_speed_threshold_ms.',
      ) as string,
    });
  });

  it('refuses an entry without a version', () => {
    expect(parseRequirements(JSON.stringify([STANDARD, { version: '' }])).kind).toBe('unreadable');
  });

  it('has the documented defaults', () => {
    expect(DEFAULT_REQUIREMENTS.overlays).toEqual([
      { matchType: 'min_version', version: '4.22', roles: { sno: { cpuCores: 4 } } },
    ]);
  });
});

describe('the paths of a multipath device', () => {
  const reasonsOf = (...disks: Parameters<typeof sampleDisk>[0][]): readonly string[] =>
    assessDisks(sampleHardware({ disks: disks.map((one) => sampleDisk(one)) }), '4.18.0', 100).map(({ reasons }) =>
      reasons.join(' '),
    );
  const MULTIPATH = { name: 'dm-0', driveType: 'Multipath' } as const;
  const PATH = 'Disk is a path of multipath device dm-0. Install on the multipath device';

  it('are known by one of several holders', () => {
    const path = { name: 'sdb', driveType: 'FC', holders: 'md0,dm-0' };
    expect(reasonsOf(MULTIPATH, path)).toEqual(['', PATH]);
  });

  it('may be disks of any type that are held otherwise', () => {
    expect(reasonsOf({ name: 'sdb', driveType: 'HDD', holders: 'dm-0' }, MULTIPATH)[0]).toBe('');
    expect(reasonsOf({ name: 'sdb', driveType: 'FC', holders: 'md0' }, MULTIPATH)[0]).toBe('');
    expect(reasonsOf({ name: 'sdb', driveType: 'FC', holders: '' }, { ...MULTIPATH, name: '' })[0]).toBe('');
  });

  it.each([
    ['none', []],
    ['an HDD', ['HDD']],
    ['two kinds', ['FC', 'iSCSI']],
  ])('do not make a device of %s eligible', (_case, types) => {
    const paths = types.map((driveType, at) => ({ name: `sd${at}`, driveType, holders: 'dm-0' }));
    expect(reasonsOf(MULTIPATH, ...paths)[0]).toBe(
      'A multipath device requires at least one path, and all its paths must be FC or all iSCSI',
    );
  });

  it('list the types that are allowed instead', () => {
    expect(reasonsOf({ driveType: 'ODD' })).toEqual([
      'Drive type ODD is not one of HDD, SSD, Multipath, RAID, iSCSI, FC',
    ]);
  });
});
