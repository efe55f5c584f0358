import { isAtLeast } from '@muster/feature-support';
import { DEFAULT_REQUIREMENTS, parseRequirements, requirementsOf, type RequirementsTable } from './requirements';

const full = { cpu_cores: 4, ram_mib: 1000, disk_size_gb: 100, installation_disk_speed_threshold_ms: 10 };
const parsed = (entries: unknown): RequirementsTable => {
  const result = parseRequirements(JSON.stringify(entries));
  if (result.kind === 'unreadable') throw new Error(result.reason);
  return result.table;
};
const reasonOf = (entries: unknown): string => {
  const result = parseRequirements(typeof entries === 'string' ? entries : JSON.stringify(entries));
  return result.kind === 'unreadable' ? result.reason : 'readable';
};

describe('requirements table', () => {
  it.each([
    ['master', 4, 16_384, 100, 100, 0],
    ['arbiter', 2, 8_192, 50, 1_000, 0],
    ['worker', 2, 8_192, 100, 1_000, 10],
    ['sno', 8, 16_384, 100, undefined, undefined],
    ['edge-worker', 2, 8_192, 15, undefined, undefined],
  ] as const)('requires the documented hardware of %s', (role, cores, ramMib, diskGb, latencyMs, lossPercent) => {
    expect(requirementsOf(DEFAULT_REQUIREMENTS, '4.18.0')[role]).toEqual({
      cpuCores: cores,
      ramMib,
      diskSizeGb: diskGb,
      installationDiskSpeedMsMax: 10,
      networkLatencyMsMax: latencyMs,
      packetLossPercentMax: lossPercent,
    });
  });

  it('requires 8 cores of a single node before 4.22, and 4 cores from 4.22 on', () => {
    expect(requirementsOf(DEFAULT_REQUIREMENTS, '4.21.9').sno.cpuCores).toBe(8);
    expect(requirementsOf(DEFAULT_REQUIREMENTS, '4.22.0-rc.1').sno).toEqual({
      ...DEFAULT_REQUIREMENTS.standard.sno,
      cpuCores: 4,
    });
    expect(requirementsOf(DEFAULT_REQUIREMENTS, 'nonsense').sno.cpuCores).toBe(8);
  });

  it('prefers the exact version, then the highest minimum version that is not above it', () => {
    const table = parsed([
      { version: 'default', master: full, worker: full, sno: full },
      { version: '4.10', match_type: 'min_version', master: { cpu_cores: 10 } },
      { version: '4.9', match_type: 'min_version', master: { cpu_cores: 9 } },
      { version: '4.12.5', master: { cpu_cores: 12 } },
    ]);
    const cores = (version: string): number => requirementsOf(table, version).master.cpuCores;
    expect([cores('4.8.0'), cores('4.9.7'), cores('4.12.4'), cores('4.12.5')]).toEqual([4, 9, 10, 12]);
    expect(requirementsOf(table, '4.10.0').master.ramMib).toBe(1000);
  });

  it('uses the values of the worker for arbiter and edge worker by default', () => {
    const table = parsed([{ version: 'default', master: full, worker: { ...full, cpu_cores: 2 }, sno: full }]);
    expect([table.standard.arbiter.cpuCores, table.standard['edge-worker'].cpuCores]).toEqual([2, 2]);
  });

  it.each([
    ['not JSON', '[{', /cannot be read/],
    ['no list', {}, /must be a list/],
    ['no default', [{ version: '4.9', master: full }], /no entry with "version": "default"/],
    ['a missing field', [{ version: 'default', master: {}, worker: full, sno: full }], /master .* lacks cpu_cores/],
    [
      'an arbiter without disk',
      [{ version: 'default', master: full, worker: full, sno: full, arbiter: { ...full, disk_size_gb: null } }],
      /arbiter .* lacks disk_size_gb/,
    ],
    ['an unknown field', [{ version: 'default', master: { cores: 1 } }], /\[0\]\.master\.cores is not a known field/],
    [
      'a negative number',
      [{ version: 'default', master: { ...full, ram_mib: -1 } }],
      /\[0\]\.master\.ram_mib must be a number of 0 or more, not -1/,
    ],
    [
      'a wrong match type',
      [{ version: '4.9', match_type: 'about' }],
      /\[0\]\.match_type must be one of exact, min_version/,
    ],
    ['an invalid minimum version', [{ version: 'new', match_type: 'min_version' }], /not a number such as/],
  ])('refuses %s with the place', (_case, entries, reason) => {
    expect(reasonOf(entries)).toMatch(reason);
  });
});

describe('versions', () => {
  it.each([
    ['4.14.0-rc.2', '4.14', true],
    ['4.9', '4.14', false],
    ['5.0', '4.14', true],
    ['', '4.14', false],
    ['latest', '4.14', false],
    ['4.15.3-x86_64', '4.15.3', true],
  ])('%s is at least %s: %s', (version, minimum, expected) => {
    expect(isAtLeast(version, minimum)).toBe(expected);
  });
});
