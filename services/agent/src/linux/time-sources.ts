import type { NtpReport, NtpSourceState } from '../steps/step-work';
import type { RunCommand } from './command';

/** Second character of a line of `chronyc sources`. */
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

/** Adds the sources that the time service lacks, then tells the state of all. */
export async function synchronizeTime(
  sources: readonly string[],
  run: RunCommand,
  signal: AbortSignal,
): Promise<NtpReport> {
  const list = async (): Promise<NtpReport> =>
    parseChronySources((await run('chronyc', ['-n', 'sources'], signal)).stdout);
  const known = new Set((await list()).ntp_sources.map(({ source_name }) => source_name));
  for (const source of sources.filter((one) => !known.has(one)))
    await run('chronyc', ['add', 'server', source, 'iburst'], signal);
  return list();
}
