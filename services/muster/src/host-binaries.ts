import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HOST_BINARY_INDEX, type SettingsReader } from '@muster/nest-kit';

/** Where `npm run build:host` puts the executables, seen from this file in `src` and in `dist`. */
const BUILT = join(__dirname, '../../../dist/muster-host');

/** Names the executables of this repository, unless the setting names others or none were built. */
export function builtHostBinaries(settings: SettingsReader): { MUSTER_HOST_BINARIES?: string } {
  const isThere = existsSync(join(BUILT, HOST_BINARY_INDEX));
  return isThere && !settings.isSet('MUSTER_HOST_BINARIES') ? { MUSTER_HOST_BINARIES: BUILT } : {};
}
