import { DEFAULT_REQUIREMENTS, parseRequirements, type RequirementsTable } from '@muster/validation-rules';
import type { SettingsReader } from './settings/settings-reader';

const VARIABLE = 'HW_VALIDATOR_REQUIREMENTS';

/** The hardware requirements of each role by version. Several services evaluate and show them and must use the same. */
export function readHardwareRequirements(settings: SettingsReader): RequirementsTable {
  const json = settings.get(VARIABLE);
  if (json === undefined) return DEFAULT_REQUIREMENTS;
  const parsed = parseRequirements(json);
  if (parsed.kind === 'parsed') return parsed.table;
  settings.reject(VARIABLE, json, `a list of requirements by version. ${parsed.reason}`);
  return DEFAULT_REQUIREMENTS;
}
