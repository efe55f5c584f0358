import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SettingsReader } from './settings/settings-reader';

/** The executable that hosts run, for one architecture. */
export interface HostBinary {
  /** As `uname -m` prints it: `x86_64`. */
  readonly architecture: string;
  readonly path: string;
  /** SHA-256 of the uncompressed file, hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
}

/** What `npm run build:host` made. */
export interface HostBinaries {
  /** The same for all architectures; changes with the program. */
  readonly version: string;
  readonly binaries: readonly HostBinary[];
}

export const HOST_BINARY_INDEX = 'index.json';
/** Marks a component that is the executable and no container image: `muster-host:<version>`. */
export const HOST_BINARY_PREFIX = 'muster-host:';

interface Index {
  readonly version: string;
  readonly binaries: readonly {
    readonly architecture: string;
    readonly file: string;
    readonly sha256: string;
    readonly bytes: number;
  }[];
}

/** Returns what MUSTER_HOST_BINARIES holds; undefined without that setting. Rejects the setting when the index cannot be read. */
export function readHostBinaries(settings: SettingsReader): HostBinaries | undefined {
  const directory = settings.get('MUSTER_HOST_BINARIES');
  if (!directory) return undefined;
  try {
    const { binaries, version } = JSON.parse(readFileSync(join(directory, HOST_BINARY_INDEX), 'utf8')) as Index;
    return {
      version,
      binaries: binaries.map(({ architecture, bytes, file, sha256 }) => ({
        architecture,
        bytes,
        sha256,
        path: join(directory, file),
      })),
    };
  } catch {
    settings.reject(
      'MUSTER_HOST_BINARIES',
      directory,
      `a directory that npm run build:host made, with ${HOST_BINARY_INDEX}`,
    );
    return undefined;
  }
}
