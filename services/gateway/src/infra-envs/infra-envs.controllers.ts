import type { Type } from '@nestjs/common';
import { DeregisterInfraEnvController } from './deregister-infra-env/deregister-infra-env.controller';
import { DownloadInfraEnvFileController } from './download-infra-env-file/download-infra-env-file.controller';
import { DownloadMinimalInitrdController } from './download-minimal-initrd/download-minimal-initrd.controller';
import { ListInfraEnvsController } from './list-infra-envs/list-infra-envs.controller';
import { PresignInfraEnvFileController } from './presign-infra-env-file/presign-infra-env-file.controller';
import { RegenerateSigningKeyController } from './regenerate-signing-key/regenerate-signing-key.controller';
import { RegisterInfraEnvController } from './register-infra-env/register-infra-env.controller';
import { ReviseInfraEnvController } from './revise-infra-env/revise-infra-env.controller';
import { ShowImageUrlController } from './show-image-url/show-image-url.controller';
import { ShowInfraEnvController } from './show-infra-env/show-infra-env.controller';

export const INFRA_ENV_CONTROLLERS: readonly Type[] = [
  DeregisterInfraEnvController,
  DownloadInfraEnvFileController,
  DownloadMinimalInitrdController,
  ListInfraEnvsController,
  PresignInfraEnvFileController,
  RegenerateSigningKeyController,
  RegisterInfraEnvController,
  ReviseInfraEnvController,
  ShowImageUrlController,
  ShowInfraEnvController,
];
