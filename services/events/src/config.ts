import { type Environment, parseDurationMs, readHardwareRequirements, readSettings } from '@muster/nest-kit';
import { DEFAULT_REQUIREMENTS, type RequirementsTable } from '@muster/validation-rules';

/** The requirements that disks are compared with in the views. */
export interface MachineLimits {
  readonly requirements: RequirementsTable;
  /** Product names of machines that are edge workers, which have lower requirements. */
  readonly edgeWorkerProducts: readonly string[];
}

/** The defaults of the settings, which equal those of the other services. */
export const DEFAULT_MACHINE_LIMITS: MachineLimits = {
  requirements: DEFAULT_REQUIREMENTS,
  edgeWorkerProducts: ['BlueField SoC'],
};

/** The settings of this service. */
export interface EventsConfig {
  /** The minimum time between two notes of one name about one subject, in milliseconds by note name. */
  readonly noteIntervalsMs: ReadonlyMap<string, number>;
  readonly machineLimits: MachineLimits;
}

export const CONFIG = Symbol('EventsConfig');

/** Agents repeat these notes at every poll during an upgrade. */
const DEFAULT_NOTE_INTERVALS = {
  upgrade_agent_started: '1h',
  upgrade_agent_finished: '1h',
  upgrade_agent_failed: '1h',
};

/** @throws SettingsError with every setting that is not valid */
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
