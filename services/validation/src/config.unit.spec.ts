import { DEFAULT_FLAP_POLICY, DEFAULT_REQUIREMENTS } from '@muster/validation-rules';
import { readConfig, readFlapPolicy } from './config';

const ROLE = { cpu_cores: 1, ram_mib: 1, disk_size_gb: 7, installation_disk_speed_threshold_ms: 3 };
const REQUIREMENTS = [{ version: 'default', master: ROLE, worker: ROLE, sno: ROLE }];

describe('settings of the validation service', () => {
  it('have defaults', () => {
    expect(readConfig({})).toEqual({
      requirements: DEFAULT_REQUIREMENTS,
      agentImage: 'quay.io/muster/agent:latest',
      agentArchitectures: [],
      edgeWorkerProducts: ['BlueField SoC'],
      operatorSettings: new Map(),
      singleNodeDnsmasq: false,
      disabledHostRules: [],
      disabledClusterRules: [],
    });
  });

  it('compare agent versions only when agents are upgraded', () => {
    expect(readConfig({ AGENT_DOCKER_IMAGE: 'a' }).agentImage).toBe('a');
    expect(readConfig({ AGENT_DOCKER_IMAGE: 'a', ENABLE_UPGRADE_AGENT: 'false' }).agentImage).toBe('');
  });

  it.each([
    ['AGENT_DOCKER_IMAGE', 'agentImage', 'a', 'a'],
    ['EDGE_WORKERS_PRODUCT_NAMES', 'edgeWorkerProducts', 'a, b', ['a', 'b']],
    ['ENABLE_SINGLE_NODE_DNSMASQ', 'singleNodeDnsmasq', 'true', true],
    ['DISABLED_HOST_VALIDATIONS', 'disabledHostRules', 'a, b', ['a', 'b']],
    ['DISABLED_CLUSTER_VALIDATIONS', 'disabledClusterRules', 'a, b', ['a', 'b']],
    ['HW_VALIDATOR_REQUIREMENTS', 'requirements.standard.master.diskSizeGb', JSON.stringify(REQUIREMENTS), 7],
  ])('%s sets %s', (name, field, text, value) => {
    expect(readConfig({ [name]: text })).toHaveProperty(field, value);
  });

  it('report which requirements are not valid', () => {
    expect(() => readConfig({ HW_VALIDATOR_REQUIREMENTS: '[]' })).toThrow(
      /HW_VALIDATOR_REQUIREMENTS.*"version": "default"/,
    );
  });

  it('define when a validation is flapping', () => {
    expect(readFlapPolicy({})).toEqual(DEFAULT_FLAP_POLICY);
    expect(
      readFlapPolicy({
        VALIDATION_FLAPPING_TURNS: '3',
        VALIDATION_FLAPPING_WINDOW: '1h',
        VALIDATION_FLAPPING_QUIET: '5m',
      }),
    ).toEqual({ flipsMin: 3, windowMs: 3_600_000, quietMs: 300_000 });
    expect(() => readFlapPolicy({ VALIDATION_FLAPPING_TURNS: '1' })).toThrow(/VALIDATION_FLAPPING_TURNS/);
  });
});
