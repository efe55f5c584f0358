import { STANDARD_SETTINGS } from '@muster/operators';
import { DEFAULT_REQUIREMENTS } from '../hardware/requirements';
import type { RulesPolicy } from './host.facts';

/** The policy of a service without any setting. */
export const SERVICE_DEFAULTS: RulesPolicy = {
  requirements: DEFAULT_REQUIREMENTS,
  agentImage: '',
  edgeWorkerProducts: [],
  singleNodeDnsmasq: false,
  disabledHostRules: [],
  disabledClusterRules: [],
  operatorSettings: STANDARD_SETTINGS,
};
