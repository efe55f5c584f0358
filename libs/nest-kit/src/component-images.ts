import type { SettingsReader } from './settings/settings-reader';

/** Image references of the programs that run on hosts: several services use them and must use the same. */
export interface ComponentImages {
  readonly agent: string;
  readonly installer: string;
  readonly controller: string;
}

export const readComponentImages = (settings: SettingsReader): ComponentImages => ({
  agent: settings.get('AGENT_DOCKER_IMAGE'),
  installer: settings.get('INSTALLER_IMAGE'),
  controller: settings.get('CONTROLLER_IMAGE'),
});
