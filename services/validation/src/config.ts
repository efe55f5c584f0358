import {
  type Environment,
  SettingError,
  readComponentImages,
  readOperatorSettings,
  SettingsReader,
} from '@muster/nest-kit';
import {
  DEFAULT_REQUIREMENTS,
  parseRequirements,
  type RequirementsTable,
  type RulesPolicy,
} from '@muster/validation-rules';

export const CONFIG = Symbol('RulesPolicy');

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
    requirements: readRequirements(settings.optionalText('HW_VALIDATOR_REQUIREMENTS')),
    agentImage: settings.flag('ENABLE_UPGRADE_AGENT', true) ? readComponentImages(settings).agent : '',
    edgeWorkerProducts: names('EDGE_WORKERS_PRODUCT_NAMES', 'BlueField SoC'),
    disabledHostRules: names('DISABLED_HOST_VALIDATIONS'),
    disabledClusterRules: names('DISABLED_CLUSTER_VALIDATIONS'),
    operatorSettings: readOperatorSettings(settings),
  };
}

function readRequirements(json: string | undefined): RequirementsTable {
  if (json === undefined) return DEFAULT_REQUIREMENTS;
  const parsed = parseRequirements(json);
  if (parsed.kind === 'parsed') return parsed.table;
  throw new SettingError(
    'HW_VALIDATOR_REQUIREMENTS',
    json.slice(0, 80),
    `a list of requirements by version. ${parsed.reason}`,
  );
}
