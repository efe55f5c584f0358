import {
  type Environment,
  readComponentImages,
  readHardwareRequirements,
  readOperatorSettings,
  readSettings,
} from '@muster/nest-kit';
import type { FlapPolicy, RulesPolicy } from '@muster/validation-rules';

export const CONFIG = Symbol('RulesPolicy');
export const FLAP_POLICY = Symbol('FlapPolicy');

/**
 * Returns when a validation counts as flapping.
 * @throws SettingsError with every setting that is not valid
 */
export const readFlapPolicy = (environment: Environment): FlapPolicy =>
  readSettings(environment, (settings) => ({
    flipsMin: settings.get('VALIDATION_FLAPPING_TURNS'),
    windowMs: settings.get('VALIDATION_FLAPPING_WINDOW'),
    quietMs: settings.get('VALIDATION_FLAPPING_QUIET'),
  }));

/** @throws SettingsError with every setting that is not valid */
export const readConfig = (environment: Environment): RulesPolicy =>
  readSettings(environment, (settings) => {
    const { agent, agentArchitectures } = readComponentImages(settings);
    return {
      requirements: readHardwareRequirements(settings),
      agentImage: settings.get('ENABLE_UPGRADE_AGENT') ? agent : '',
      agentArchitectures,
      edgeWorkerProducts: settings.get('EDGE_WORKERS_PRODUCT_NAMES'),
      singleNodeDnsmasq: settings.get('ENABLE_SINGLE_NODE_DNSMASQ'),
      disabledHostRules: settings.get('DISABLED_HOST_VALIDATIONS'),
      disabledClusterRules: settings.get('DISABLED_CLUSTER_VALIDATIONS'),
      operatorSettings: readOperatorSettings(settings),
    };
  });
