import {
  type Environment,
  readComponentImages,
  readHardwareRequirements,
  readOperatorSettings,
  SettingsReader,
} from '@muster/nest-kit';
import { DEFAULT_FLAP_POLICY, type FlapPolicy, type RulesPolicy } from '@muster/validation-rules';

export const CONFIG = Symbol('RulesPolicy');
export const FLAP_POLICY = Symbol('FlapPolicy');

/** More turns than this are not remembered one by one. */
const FLIPS_MAX = 50;

/** When an outcome turns too often to be believed. */
export function readFlapPolicy(environment: Environment): FlapPolicy {
  const settings = new SettingsReader(environment);
  const { flipsMin, windowMs, quietMs } = DEFAULT_FLAP_POLICY;
  return {
    flipsMin: settings.integer('VALIDATION_FLAPPING_TURNS', flipsMin, { min: 2, max: FLIPS_MAX }),
    windowMs: settings.durationMs('VALIDATION_FLAPPING_WINDOW', windowMs),
    quietMs: settings.durationMs('VALIDATION_FLAPPING_QUIET', quietMs),
  };
}

/** What an operator may set for this service; names as the field uses them. */
export function readConfig(environment: Environment): RulesPolicy {
  const settings = new SettingsReader(environment);
  const names = (name: string, fallback = ''): string[] =>
    settings
      .text(name, fallback)
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean);
  return {
    requirements: readHardwareRequirements(settings),
    agentImage: settings.flag('ENABLE_UPGRADE_AGENT', true) ? readComponentImages(settings).agent : '',
    edgeWorkerProducts: names('EDGE_WORKERS_PRODUCT_NAMES', 'BlueField SoC'),
    singleNodeDnsmasq: settings.flag('ENABLE_SINGLE_NODE_DNSMASQ', false),
    disabledHostRules: names('DISABLED_HOST_VALIDATIONS'),
    disabledClusterRules: names('DISABLED_CLUSTER_VALIDATIONS'),
    operatorSettings: readOperatorSettings(settings),
  };
}
