import { withoutCredentials } from '@muster/host-api';
import { errorCode } from '@muster/schema';
import type { DomainReport, ImageAvailability, NtpReport, NtpSourceState } from '../steps/step-work';
import { execute, ProgramMissing, type RunCommand, TIMEOUT_EXIT_CODE } from './command';

/** States by the second character of a line of `chronyc sources`. */
const STATES: { readonly [mark: string]: NtpSourceState | undefined } = {
  '*': 'synced',
  '+': 'combined',
  '-': 'not_combined',
  '?': 'unreachable',
  x: 'error',
  '~': 'variable',
};

export function parseChronySources(output: string): NtpReport {
  const lines = output.split('\n').filter((line) => line.startsWith('^'));
  return {
    ntp_sources: lines.map((line) => ({
      source_name: line.slice(2).trim().split(/\s+/)[0] ?? '',
      source_state: STATES[line.charAt(1)] ?? 'error',
    })),
  };
}

type NameAddresses = readonly { readonly address: string; readonly family: number }[];

/** Resolves a name. Returns empty lists when it does not exist. `addresses` throws while the DNS servers do not answer. */
export interface NameLookup {
  addresses(name: string): Promise<NameAddresses>;
  canonicalNames(name: string): Promise<readonly string[]>;
}

/** Returns no address for a name that does not exist. After a temporary failure of DNS (EAI_AGAIN), the name may exist. */
export const addressesIfAny = (found: Promise<NameAddresses>): Promise<NameAddresses> =>
  found.catch((error: unknown) => {
    if (errorCode(error) === 'ENOTFOUND') return [];
    throw error;
  });

/** The results of earlier checks. chrony has added sources only until it is restarted. */
export interface TimeMemory {
  /** Sources that this agent has added. Names are stored because a name can have another address at each lookup. */
  readonly added: Set<string>;
  /** Number of sources that chrony listed last. */
  listed: number;
}

export interface TimeSources {
  readonly sources: readonly string[];
  readonly memory: TimeMemory;
}

/**
 * Adds the sources that chrony does not have, and returns the states of all sources.
 * @throws StepFailed when chrony does not run, ProgramMissing
 */
export async function synchronizeTime(
  { memory, sources }: TimeSources,
  lookup: Pick<NameLookup, 'addresses'>,
  run: RunCommand,
  signal: AbortSignal,
): Promise<NtpReport> {
  const list = async (): Promise<NtpReport> =>
    parseChronySources(await execute(run, 'chronyc', ['-n', 'sources'], signal));
  const known = new Set((await list()).ntp_sources.map(({ source_name }) => source_name));
  // chrony was restarted and has the sources of its file only.
  if (known.size < memory.listed) memory.added.clear();
  for (const source of sources.filter((one) => !memory.added.has(one))) {
    // chrony lists the addresses of its sources only.
    const addresses = known.has(source) ? [] : await lookup.addresses(source).catch(() => []);
    if (known.has(source) || addresses.some(({ address }) => known.has(address))) continue;
    const { exitCode } = await run('chronyc', ['add', 'server', source, 'iburst'], signal);
    if (exitCode === 0) memory.added.add(source);
  }
  const report = await list();
  memory.listed = report.ntp_sources.length;
  return report;
}

/** Checks in sequence after which the failure of a name lasts. DNS servers without a connection to others refuse all foreign names. */
const LASTING_FAILURES = 3;

/**
 * Resolves the names. One whose failure lasts has no addresses, as long as another name is answered. `failures`: checks in sequence in which
 * DNS failed, by name.
 * @throws the failure of a name that may be answered again
 */
export async function resolveDomains(
  domains: readonly string[],
  lookup: NameLookup,
  failures: Map<string, number>,
): Promise<DomainReport> {
  const errors = new Map<string, unknown>();
  const resolve = async (domain_name: string): Promise<DomainReport['resolutions'][number]> => {
    const answered = lookup.addresses(domain_name).catch((error: unknown) => (errors.set(domain_name, error), []));
    const [addresses, cnames] = await Promise.all([answered, lookup.canonicalNames(domain_name)]);
    const ofFamily = (family: number): string[] =>
      addresses
        .filter((one) => one.family === family)
        .map(({ address }) => address)
        .sort();
    return { domain_name, ipv4_addresses: ofFamily(4), ipv6_addresses: ofFamily(6), cnames };
  };
  const resolutions = await Promise.all(domains.map(resolve));
  for (const name of domains) failures.set(name, errors.has(name) ? (failures.get(name) ?? 0) + 1 : 0);
  const isLasting = (name: string): boolean => (failures.get(name) ?? 0) >= LASTING_FAILURES;
  for (const [name, error] of errors) if (errors.size === domains.length || !isLasting(name)) throw error;
  return { resolutions };
}

const MB = 1_000_000;
const REASON_CHARS_MAX = 300;

const unavailable = (name: string, time = 0): ImageAvailability => ({
  name,
  size_bytes: 0,
  time,
  download_rate: 0,
  result: 'failure',
});

/** Pulls each image with podman within one time limit, and returns sizes and speeds. Without podman, no image is available. */
export async function checkImages(
  { images, timeoutSeconds }: { readonly images: readonly string[]; readonly timeoutSeconds: number },
  run: RunCommand,
  nowMs: () => number,
  signal: AbortSignal,
): Promise<readonly ImageAvailability[]> {
  const deadlineMs = nowMs() + timeoutSeconds * 1000;
  const results: ImageAvailability[] = [];
  for (const name of images) results.push(await checkImage(name, deadlineMs).catch(missingProgram(name)));
  return results;

  // The preparation would wait for a report until its time limit.
  function missingProgram(name: string): (error: unknown) => ImageAvailability {
    return (error) => {
      if (!(error instanceof ProgramMissing)) throw error;
      return { ...unavailable(name), reason: error.message };
    };
  }

  async function checkImage(name: string, untilMs: number): Promise<ImageAvailability> {
    // When podman cannot list the images, the pull reports the reason. Without a report, the preparation would wait until its time limit.
    const listed = await run('podman', ['images', '--quiet', name], signal);
    const present = listed.exitCode === 0 && listed.stdout.trim() !== '';
    const startedMs = nowMs();
    const timeoutMs = Math.ceil(untilMs - startedMs);
    if (timeoutMs <= 0)
      return {
        ...unavailable(name),
        reason: `not pulled, because the images before it used the time limit of ${timeoutSeconds} s`,
      };
    const { exitCode, stderr = '' } = await run('podman', ['pull', name], signal, { timeoutMs });
    const time = (nowMs() - startedMs) / 1000;
    const failed = unavailable(name, time);
    if (exitCode === TIMEOUT_EXIT_CODE) return { ...failed, reason: `not complete after ${Math.round(time)} s` };
    // podman prints its progress before the error.
    const lastLine = stderr.trim().split('\n').at(-1) ?? '';
    if (exitCode !== 0) return { ...failed, reason: withoutCredentials(lastLine).slice(0, REASON_CHARS_MAX) };
    // No speed is reported for an image that existed already.
    if (present) return { ...failed, result: 'success' };
    const { stdout: size } = await run('podman', ['image', 'inspect', '--format={{.Size}}', name], signal);
    const size_bytes = Number(size.trim()) || 0;
    return { name, size_bytes, time, download_rate: time > 0 ? size_bytes / time / MB : 0, result: 'success' };
  }
}
