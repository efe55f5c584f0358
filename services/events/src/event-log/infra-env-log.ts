import type { ImageEvent, InfraEnvEvent } from '@muster/contracts';
import type { InfraEnvSubject, LogRows } from './event-document';

export const INFRA_ENV_LOG: LogRows<InfraEnvEvent | ImageEvent, InfraEnvSubject> = {
  InfraEnvRegistered: (_data, { infraEnv }) => [
    { name: 'infra_env_registered', severity: 'info', message: `Infra-env ${infraEnv.name} was created.` },
  ],
  InfraEnvDeregistered: (_data, { infraEnv }) => [
    { name: 'infra_env_deregistered', severity: 'info', message: `Infra-env ${infraEnv.name} was deleted.` },
  ],
  InfraEnvSettingsRevised: ({ changes }, { infraEnv }) => {
    const details = Object.keys(changes ?? {}).join(', ');
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
