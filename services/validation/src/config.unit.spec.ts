import { DEFAULT_FLAP_POLICY, DEFAULT_REQUIREMENTS } from '@muster/validation-rules';
import { readConfig, readFlapPolicy } from './config';

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

  it('parse lists and requirements, and report which one is not valid', () => {
    expect(readConfig({ DISABLED_HOST_VALIDATIONS: 'a, b' }).disabledHostRules).toEqual(['a', 'b']);
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
