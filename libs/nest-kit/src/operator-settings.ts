import { type OperatorSettings } from '@muster/operators';
import { operatorSettings } from './settings/derived-settings';
import type { SettingsReader } from './settings/settings-reader';

/** The settings of OLM operators that the environment sets, by variable. */
export function readOperatorSettings(settings: SettingsReader): OperatorSettings {
  const given = new Map<string, string>();
  for (const { name, faultOf } of operatorSettings()) {
    const text = settings.raw(name);
    if (text === undefined) continue;
    const expected = faultOf(text);
    if (expected) settings.reject(name, text, expected);
    else given.set(name, text);
  }
  return given;
}
