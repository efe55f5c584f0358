import {
  type Environment,
  parseDurationMs,
  readHardwareRequirements,
  SettingError,
  SettingsReader,
} from '@muster/nest-kit';
import { DEFAULT_MACHINE_LIMITS, type MachineLimits } from './views/machine-limits';

/** What an operator may set for this service; names as the field uses them. */
export interface EventsConfig {
  /** Shortest time between two notes of one name about one subject, ms by note name. */
  readonly noteIntervalsMs: ReadonlyMap<string, number>;
  readonly machineLimits: MachineLimits;
}

export const CONFIG = Symbol('EventsConfig');

/** Agents repeat these at every poll while an upgrade is under way. */
const DEFAULT_NOTE_INTERVALS = {
  upgrade_agent_started: '1h',
  upgrade_agent_finished: '1h',
  upgrade_agent_failed: '1h',
};

export function readConfig(environment: Environment): EventsConfig {
  const settings = new SettingsReader(environment);
  const given = settings.json<unknown>('EVENT_RATE_LIMITS', {});
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new SettingError('EVENT_RATE_LIMITS', JSON.stringify(given), 'a JSON object of event name to duration');
  return {
    noteIntervalsMs: new Map(Object.entries({ ...DEFAULT_NOTE_INTERVALS, ...given }).map(parseInterval)),
    machineLimits: {
      requirements: readHardwareRequirements(settings),
      edgeWorkerProducts: settings
        .text('EDGE_WORKERS_PRODUCT_NAMES', DEFAULT_MACHINE_LIMITS.edgeWorkerProducts.join(','))
        .split(',')
        .map((product) => product.trim())
        .filter(Boolean),
    },
  };
}

function parseInterval([name, duration]: readonly [string, unknown]): readonly [string, number] {
  const ms = typeof duration === 'string' ? parseDurationMs(duration) : undefined;
  if (ms === undefined)
    throw new SettingError(
      'EVENT_RATE_LIMITS',
      JSON.stringify({ [name]: duration }),
      'durations such as 90s, 3m or 1h',
    );
  return [name, ms];
}
