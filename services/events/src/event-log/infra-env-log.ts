import type { ImageEvent, InfraEnvEvent } from '@muster/contracts';
import type { InfraEnvSubject, LogRows } from './event-document';

/** Settings whose member of the v2 API has another name. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([['trustBundle', 'additional_trust_bundle']]);

/** Returns the member of the v2 API for a setting: `image_type` for `imageType`. */
const memberOf = (setting: string): string =>
  OTHER_NAMES.get(setting) ?? setting.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const INFRA_ENV_LOG: LogRows<InfraEnvEvent | ImageEvent, InfraEnvSubject> = {
  InfraEnvRegistered: (_data, { infraEnv }) => [
    { name: 'infra_env_registered', severity: 'info', message: `Infra-env ${infraEnv.name} was created.` },
  ],
  InfraEnvDeregistered: (_data, { infraEnv }) => [
    { name: 'infra_env_deregistered', severity: 'info', message: `Infra-env ${infraEnv.name} was deleted.` },
  ],
  InfraEnvSettingsRevised: ({ changes, pullSecretReplaced }, { infraEnv }) => {
    const members = [...Object.keys(changes ?? {}).map(memberOf), ...(pullSecretReplaced ? ['pull_secret'] : [])];
    const details = [...new Set(members)].join(', ');
    return details
      ? [
          {
            name: 'image_info_updated',
            severity: 'info',
            message: `These settings of infra-env ${infraEnv.name} changed its image: ${details}.`,
            props: { details },
          },
        ]
      : [];
  },
  ImageSigningKeyRotated: (_data, { infraEnv }) => [
    {
      name: 'image_info_updated',
      severity: 'info',
      message: `The signing key of infra-env ${infraEnv.name} was replaced. Image URLs that were signed with the previous key are no longer valid.`,
      props: { details: 'signing key' },
    },
  ],
  ImageFirstDownloaded: ({ imageType, version, arch }, { infraEnv }) => [
    {
      name: 'ignition_config_image_generated',
      severity: 'info',
      message: `The image of infra-env ${infraEnv.name} (${imageType}, ${version}, ${arch}) was downloaded for the first time.`,
      props: { details: `${imageType} ${version} ${arch}` },
    },
  ],
};
