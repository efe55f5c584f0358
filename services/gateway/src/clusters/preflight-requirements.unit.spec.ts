import { OPERATORS, STANDARD_SETTINGS } from '@muster/operators';
import { DEFAULT_REQUIREMENTS } from '@muster/validation-rules';
import { preflightRequirements } from './cluster-requirements.controller';

const CLUSTER = { kind: 'Cluster', openshift_version: '4.18.3', control_plane_count: 3 } as const;
const of = (changes: object = {}, settings: ReadonlyMap<string, string> = STANDARD_SETTINGS) =>
  preflightRequirements({ ...CLUSTER, ...changes } as never, DEFAULT_REQUIREMENTS, settings);
const tpm = (enable_on: string, mode = 'tpmv2') => {
  const { master, worker } = of({ disk_encryption: { enable_on, mode } }).ocp;
  return [master, worker].map(({ quantitative }) => quantitative.tpm_enabled_in_bios);
};
const operator = (name: string, ...asked: Parameters<typeof of>) =>
  of(...asked).operators.find(({ operator_name: known }) => known === name)?.requirements;

describe('preflight requirements', () => {
  it('return the requirements of a single node in place of those of the control plane', () => {
    const { quantitative } = of({ control_plane_count: 1 }).ocp.master;
    expect(quantitative).toEqual({
      cpu_cores: 8,
      ram_mib: 16_384,
      disk_size_gb: 100,
      installation_disk_speed_threshold_ms: 10,
    });
    expect(operator('mce', { control_plane_count: 1 })?.master.quantitative).toEqual({ cpu_cores: 8, ram_mib: 32_768 });
  });

  it('require a TPM for the roles whose disks are encrypted', () => {
    expect(tpm('all')).toEqual([true, true]);
    expect(tpm('masters')).toEqual([true, undefined]);
    expect(tpm('masters,workers')).toEqual([true, true]);
    expect(tpm('arbiters,workers')).toEqual([undefined, true]);
    expect(tpm('all', 'tang')).toEqual([undefined, undefined]);
  });

  it('list every operator for a new cluster, and none for a day-2 cluster', () => {
    expect(of().operators).toHaveLength(OPERATORS.length);
    expect(of({ kind: 'AddHostsCluster' }).operators).toEqual([]);
  });

  it('depend on the release and the settings of the service', () => {
    const memory = (...asked: Parameters<typeof of>) => operator('lvm', ...asked)?.worker.quantitative.ram_mib;
    expect([memory(), memory({ openshift_version: '4.14.1' })]).toEqual([100, 400]);
    expect(memory({}, new Map([['LVM_MEMORY_PER_HOST_MIB', '55']]))).toBe(55);
    const quantitative = { cpu_cores: 1, ram_mib: 100 };
    expect(operator('lvm')).toMatchObject({ master: { quantitative }, worker: { quantitative } });
  });
});
