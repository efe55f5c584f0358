import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const OUTPUT_BYTES_MAX = 1024 * 1024;
const TIMEOUT_MS = 60_000;

/** xorriso is not installed or failed. The message contains the action. */
export class XorrisoError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'XorrisoError';
  }
}

/**
 * Runs xorriso with a fixed clock and time zone. Returns its output.
 * @throws XorrisoError
 */
export async function runXorriso(args: readonly string[], sourceDateEpoch = 0): Promise<string> {
  try {
    const { stdout, stderr } = await promisify(execFile)('xorriso', [...args], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(sourceDateEpoch), TZ: 'UTC', LC_ALL: 'C' },
      maxBuffer: OUTPUT_BYTES_MAX,
      timeout: TIMEOUT_MS,
    });
    return stdout + stderr;
  } catch (error) {
    throw new XorrisoError(explain(error));
  }
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return `xorriso failed: ${String(error)}`;
  if ('code' in error && error.code === 'ENOENT') {
    return 'xorriso is required to create the ISO and is not installed. Install it: "apt-get install xorriso" (Debian, Ubuntu), "dnf install xorriso" (Fedora), "brew install xorriso" (macOS).';
  }
  const output = 'stderr' in error ? String(error.stderr).trim() : '';
  return `xorriso failed: ${output.split('\n').slice(-5).join('\n') || error.message}`;
}
