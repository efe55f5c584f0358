import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createJsonReader } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import type { SettingsReader } from './settings/settings-reader';
import type { SettingName } from './settings/settings.table';

/** The executable that hosts run, for one architecture. */
export interface HostBinary {
  /** As `uname -m` prints it: `x86_64`. */
  readonly architecture: string;
  readonly path: string;
  /** SHA-256 of the uncompressed file, hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
}

/** The index of the executables that `npm run build:host` creates. */
export interface HostBinaries {
  /** The same for all architectures. Changes with the program. */
  readonly version: string;
  readonly binaries: readonly HostBinary[];
  /** Those of earlier builds, which images and installations of that time still download by their digest. */
  readonly earlier: readonly HostBinary[];
}

export const HOST_BINARY_INDEX = 'index.json';
/** Prefix of a component that is the executable instead of a container image: `muster-host:<version>`. */
export const HOST_BINARY_PREFIX = 'muster-host:';

const BINARIES = Type.Array(
  Type.Object({ architecture: Type.String(), file: Type.String(), sha256: Type.String(), bytes: Type.Integer() }),
);
const INDEX = Type.Object({ version: Type.String(), binaries: BINARIES, earlier: Type.Optional(BINARIES) });
const readIndex = createJsonReader(INDEX, { name: HOST_BINARY_INDEX });

/**
 * Returns the index in the directory of MUSTER_HOST_BINARIES, or undefined without that setting. Rejects the setting
 * when the index cannot be read.
 */
export function readHostBinaries(settings: SettingsReader): HostBinaries | undefined {
  const directory = settings.get('MUSTER_HOST_BINARIES');
  if (!directory) return undefined;
  try {
    const { binaries, earlier = [], version } = readIndex(readFileSync(join(directory, HOST_BINARY_INDEX), 'utf8'));
    const toBinary = ({ file, ...binary }: (typeof binaries)[number]): HostBinary => ({
      ...binary,
      path: join(directory, file),
    });
    return { version, binaries: binaries.map(toBinary), earlier: earlier.map(toBinary) };
  } catch {
    settings.reject(
      'MUSTER_HOST_BINARIES',
      directory,
      `a directory created by npm run build:host, with ${HOST_BINARY_INDEX}`,
    );
    return undefined;
  }
}

/**
 * The programs that run on hosts: container images, or `muster-host:<version>` for the executable that the image
 * service serves. Several services must use the same programs.
 */
export interface ComponentImages {
  readonly agent: string;
  /** Architectures for which an agent that is the executable can be downloaded, as `uname -m` prints them. */
  readonly agentArchitectures: readonly string[];
  readonly installer: string;
  readonly controller: string;
}

/**
 * An image in a setting takes precedence. Without the setting, the executable is used if there is one. Rejects INSTALLER_IMAGE
 * without CONTROLLER_IMAGE beside executables.
 */
export function readComponentImages(settings: SettingsReader): ComponentImages {
  const executable = readHostBinaries(settings);
  if (executable && settings.isSet('INSTALLER_IMAGE') && !settings.isSet('CONTROLLER_IMAGE'))
    settings.reject(
      'CONTROLLER_IMAGE',
      '',
      'a container image, because an installer from INSTALLER_IMAGE cannot start the host executable in the new cluster',
    );
  const read = (name: SettingName & `${string}_IMAGE`): string =>
    executable && !settings.isSet(name) ? HOST_BINARY_PREFIX + executable.version : String(settings.get(name));
  return {
    agent: read('AGENT_DOCKER_IMAGE'),
    agentArchitectures: executable?.binaries.map(({ architecture }) => architecture) ?? [],
    installer: read('INSTALLER_IMAGE'),
    controller: read('CONTROLLER_IMAGE'),
  };
}
