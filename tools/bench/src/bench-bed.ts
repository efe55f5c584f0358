import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchBed, Recording } from './measurement';
import { describeRecording, recordInstallation } from './store/record-installation';

/** The bed of one run; `remove` deletes all that was made in it. */
export function createBenchBed(options: {
  readonly isQuick: boolean;
  readonly dataDirectory: string | undefined;
  readonly tell: (text: string) => void;
}): BenchBed & { remove(): void } {
  const { isQuick, tell } = options;
  const root = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const directory = (name: string): string => {
    const path = join(root, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  let recorded: Promise<Recording> | undefined;
  const record = (): Promise<Recording> => {
    if (options.dataDirectory !== undefined) return describeRecording(options.dataDirectory);
    tell('recording an installation of three simulated hosts');
    return recordInstallation(directory('recording'), directory('credentials'), tell);
  };
  return {
    isQuick,
    tell,
    directory,
    recording: () => (recorded ??= record()),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
