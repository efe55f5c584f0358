import { DEFAULT_REQUIREMENTS, parseRequirements, type RequirementsTable } from '@muster/validation-rules';
import { SettingError, type SettingsReader } from './environment';

const VARIABLE = 'HW_VALIDATOR_REQUIREMENTS';

/** What roles need of machines, by version: several services judge and show it, and must mean the same. */
export function readHardwareRequirements(settings: SettingsReader): RequirementsTable {
  const json = settings.optionalText(VARIABLE);
  if (json === undefined) return DEFAULT_REQUIREMENTS;
  const parsed = parseRequirements(json);
  if (parsed.kind === 'parsed') return parsed.table;
  throw new SettingError(VARIABLE, json.slice(0, 80), `a list of requirements by version. ${parsed.reason}`);
}
