import { type Environment, parseDurationMs, readHardwareRequirements, readSettings } from '@muster/nest-kit';
import { DEFAULT_REQUIREMENTS, type RequirementsTable } from '@muster/validation-rules';

/** What machines are measured against when their disks are shown. */
export interface MachineLimits {
  readonly requirements: RequirementsTable;
  /** Product names of machines that are workers of a smaller kind. */
  readonly edgeWorkerProducts: readonly string[];
}

/** The defaults of the settings, which are the same in the other services. */
export const DEFAULT_MACHINE_LIMITS: MachineLimits = {
  requirements: DEFAULT_REQUIREMENTS,
  edgeWorkerProducts: ['BlueField SoC'],
};

/** The settings of this service. */
export interface EventsConfig {
  /** The shortest time between two notes of one name about one subject, in milliseconds by note name. */
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

/** @throws SettingsError with every setting that cannot be used */
export const readConfig = (environment: Environment): EventsConfig =>
  readSettings(environment, (settings) => ({
    noteIntervalsMs: parseIntervals(settings.get('EVENT_RATE_LIMITS')),
    machineLimits: {
      requirements: readHardwareRequirements(settings),
      edgeWorkerProducts: settings.get('EDGE_WORKERS_PRODUCT_NAMES'),
    },
  }));

const parseIntervals = (given: { readonly [name: string]: string } = {}): ReadonlyMap<string, number> =>
  new Map(
    Object.entries({ ...DEFAULT_NOTE_INTERVALS, ...given }).map(([name, text]) => [name, parseDurationMs(text) ?? 0]),
  );
