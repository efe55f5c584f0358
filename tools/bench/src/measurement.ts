import { createHash } from 'node:crypto';

/** One line of the table. Texts contain numbers with their units. */
export interface Measurement {
  readonly what: string;
  readonly measured: string;
  /** Budget of the design; empty without one. */
  readonly budget: string;
}

export interface Bench {
  /** Value for `--only`. */
  readonly name: string;
  readonly about: string;
  /** It measures requests to a process, so it can measure another commit too. */
  readonly takesProgram?: true;
  readonly run: (bed: BenchBed) => Promise<readonly Measurement[]>;
}

/** The environment of a benchmark. */
export interface BenchBed {
  /** Small numbers that only show whether everything works. */
  readonly isQuick: boolean;
  /** Main file of the measured Muster. Undefined: that of this tree. */
  readonly program: string | undefined;
  /** Events of a large store (`--events`); undefined: as many as the budget names. */
  readonly events: number | undefined;
  /** Hosts of a fleet (`--hosts`); undefined: as many as the budget names. */
  readonly hosts: number | undefined;
  /** Prints progress to standard error. */
  tell(text: string): void;
  /** Returns a new directory that is deleted at the end. */
  directory(name: string): string;
  /** Data directory of a recorded installation. It is recorded at the first call, or given with `--data`. */
  recording(): Promise<Recording>;
}

export interface Recording {
  readonly dataDirectory: string;
  /** Number of installed clusters, and of their hosts. */
  readonly clusters: number;
  readonly hosts: number;
}

/** `12 345` */
export const count = (value: number): string =>
  Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ' ');

export const perSecond = (amount: number, ms: number): string => `${count((amount / ms) * 1_000)}/s`;

export const milliseconds = (ms: number): string =>
  `${ms < 10 ? ms.toFixed(2) : ms < 100 ? ms.toFixed(1) : count(ms)} ms`;

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;

export const ofACore = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 2 : 1)} % of a core`;

export const kibibytes = (bytes: number): string => `${count(bytes / 1_024)} KiB`;

/** Nearest rank; NaN without values. `share` from 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? NaN;
}

export const p50AndP99 = (values: readonly number[]): string =>
  `p50 ${milliseconds(percentile(values, 0.5))}, p99 ${milliseconds(percentile(values, 0.99))}`;

/** About 74 KB of JSON, as nested as a report of a host. */
const REFERENCE_DATA = {
  parts: Array.from({ length: 1_024 }, (_, index) => ({
    name: `part-${index}`,
    size: index * 4_096,
    tags: ['a', 'b', 'c'],
    at: { row: index },
  })),
};
const REFERENCE_ROUNDS = 300;

/**
 * Returns the milliseconds of CPU per round of work that is the same in every version of Muster: to write and parse JSON and to compute
 * SHA-256. The same machine does it at different speeds when other machines share its processor.
 */
export function measureReferenceWork(): number {
  const start = process.cpuUsage();
  let data: unknown = REFERENCE_DATA;
  for (let round = 0; round < REFERENCE_ROUNDS; round += 1) {
    const text = JSON.stringify(data);
    createHash('sha256').update(text).digest('hex');
    data = JSON.parse(text);
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000 / REFERENCE_ROUNDS;
}
