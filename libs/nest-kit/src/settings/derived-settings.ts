import { CLUSTER_TIMEOUT_TABLE, HOST_TIMEOUT_TABLE } from '@muster/domain';
import { faultOfSetting, OPERATOR_SETTINGS } from '@muster/operators';
import { parseDurationMs } from './duration';
import { SETTINGS } from './settings.table';
import type { SettingsReader } from './settings-reader';

/** A setting whose definition is a row of another table: a timeout of the domain, or a setting of an operator. */
export interface DerivedSetting {
  readonly name: string;
  readonly readBy: readonly string[];
  readonly fallbackText: string;
  readonly meaning: string;
  /** What the text should be instead; undefined when it is valid. */
  readonly faultOf: (text: string) => string | undefined;
}

/** One per name: two timeouts may share a setting. Names that `SETTINGS` defines are left out. */
export function timeoutSettings(format: (durationMs: number) => string): readonly DerivedSetting[] {
  const rows = [
    ...HOST_TIMEOUT_TABLE.map(({ env, defaultMs, why }) => ({ env, fallbackText: format(defaultMs), why })),
    ...CLUSTER_TIMEOUT_TABLE.map(({ env, hardMs, softMs, why }) => ({
      env,
      fallbackText: hardMs === softMs ? format(hardMs) : `${format(hardMs)}; ${format(softMs)} with soft timeouts`,
      why,
    })),
  ];
  const byName = new Map(
    rows.flatMap(({ env, fallbackText, why }): [string, DerivedSetting][] =>
      env === undefined || Object.hasOwn(SETTINGS, env)
        ? []
        : [[env, { name: env, readBy: ['registration'], fallbackText, meaning: why, faultOf: durationFault }]],
    ),
  );
  return [...byName.values()];
}

export const operatorSettings = (): readonly DerivedSetting[] =>
  OPERATOR_SETTINGS.map((setting) => ({
    name: setting.variable,
    readBy: ['registration', 'validation', 'ignition', 'gateway'],
    fallbackText: setting.standard || 'none',
    meaning: 'A setting of an OLM operator; see its folder in `libs/operators`.',
    faultOf: (text) => faultOfSetting(setting, text),
  }));

const durationFault = (text: string): string | undefined =>
  parseDurationMs(text) === undefined ? 'a duration such as 90s, 3m or 1h30m' : undefined;

/** Milliseconds by name of the timeouts that the environment sets; a text that is not a duration is rejected. */
export function readTimeouts(
  settings: SettingsReader,
  table: readonly { readonly env: string | undefined }[],
): Readonly<Record<string, number>> {
  const given: Record<string, number> = {};
  for (const { env } of table) {
    const text = env && settings.raw(env);
    if (!env || !text) continue;
    const durationMs = parseDurationMs(text);
    if (durationMs === undefined) settings.reject(env, text, 'a duration such as 90s, 3m or 1h30m');
    else given[env] = durationMs;
  }
  return given;
}
