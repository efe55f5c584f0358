import { HOST_BINARY_PREFIX, readHostBinaries } from './host-binaries';
import type { SettingName } from './settings/settings.table';
import type { SettingsReader } from './settings/settings-reader';

/**
 * The programs that run on hosts: container images, or `muster-host:<version>` for the executable that the image service
 * serves. Several services use them and must use the same.
 */
export interface ComponentImages {
  readonly agent: string;
  readonly installer: string;
  readonly controller: string;
}

/** An image that a setting names is used. Without the setting it is the executable, where there is one. */
export function readComponentImages(settings: SettingsReader): ComponentImages {
  const executable = readHostBinaries(settings);
  const read = (name: SettingName & `${string}_IMAGE`): string =>
    executable && !settings.isSet(name) ? HOST_BINARY_PREFIX + executable.version : String(settings.get(name));
  return {
    agent: read('AGENT_DOCKER_IMAGE'),
    installer: read('INSTALLER_IMAGE'),
    controller: read('CONTROLLER_IMAGE'),
  };
}
