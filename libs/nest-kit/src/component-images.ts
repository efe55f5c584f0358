import type { SettingsReader } from './environment';

/** Image references of the programs that hosts run: several services name them and must name the same. */
export interface ComponentImages {
  readonly agent: string;
  readonly installer: string;
  readonly controller: string;
}

export function readComponentImages(settings: SettingsReader): ComponentImages {
  return {
    agent: settings.text('AGENT_DOCKER_IMAGE', 'quay.io/muster/agent:latest'),
    installer: settings.text('INSTALLER_IMAGE', 'quay.io/muster/installer:latest'),
    controller: settings.text('CONTROLLER_IMAGE', 'quay.io/muster/controller:latest'),
  };
}
