import { SettingsError } from '@muster/nest-kit';
import { DEFAULT_MACHINE_LIMITS, readConfig } from './config';

describe('configuration', () => {
  it('adds rate limits to the defaults', () => {
    const { noteIntervalsMs } = readConfig({ EVENT_RATE_LIMITS: '{"reboots_for_node":"90s"}' });
    expect(Object.fromEntries(noteIntervalsMs)).toMatchObject({
      reboots_for_node: 90_000,
      upgrade_agent_started: 3_600_000,
    });
  });

  it('has the hardware requirements of the other services', () => {
    const roles = { cpu_cores: 1, ram_mib: 1, disk_size_gb: 7, installation_disk_speed_threshold_ms: 3 };
    const table = [{ version: 'default', master: roles, worker: roles, sno: roles }];
    const { machineLimits } = readConfig({
      HW_VALIDATOR_REQUIREMENTS: JSON.stringify(table),
      EDGE_WORKERS_PRODUCT_NAMES: 'Small, Smaller',
    });
    expect(machineLimits.requirements.standard.master.diskSizeGb).toBe(7);
    expect(machineLimits.edgeWorkerProducts).toEqual(['Small', 'Smaller']);
    expect(readConfig({}).machineLimits).toEqual(DEFAULT_MACHINE_LIMITS);
    expect(() => readConfig({ HW_VALIDATOR_REQUIREMENTS: '[]' })).toThrow('HW_VALIDATOR_REQUIREMENTS');
  });

  it.each(['{"a":"soon"}', '{"a":1}', '[]', 'null', 'nonsense'])('refuses to start with %s', (EVENT_RATE_LIMITS) => {
    expect(() => readConfig({ EVENT_RATE_LIMITS })).toThrow(SettingsError);
  });
});
