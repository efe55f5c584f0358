import { faultOfSetting, OPERATOR_SETTINGS, type OperatorSettings } from '@muster/operators';
import { SettingError, type SettingsReader } from './environment';

/** What was set for single OLM operators, under the names that their plug-ins give. Throws when one cannot be read. */
export function readOperatorSettings(settings: SettingsReader): OperatorSettings {
  const given = new Map<string, string>();
  for (const setting of OPERATOR_SETTINGS) {
    const text = settings.optionalText(setting.variable);
    if (text === undefined) continue;
    const expected = faultOfSetting(setting, text);
    if (expected) throw new SettingError(setting.variable, text.slice(0, 80), expected);
    given.set(setting.variable, text);
  }
  return given;
}
