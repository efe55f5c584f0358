import type { Type } from '@nestjs/common';
import { PreviewStaticNetworksController } from './preview-static-networks/preview-static-networks.controller';
import { ShowClusterValidationsController } from './show-validations/show-cluster-validations.controller';
import { ShowHostValidationsController } from './show-validations/show-host-validations.controller';
import { ValidationOverridesController } from './validation-overrides/validation-overrides.controller';

/** What Muster offers beside the contract. */
export const OWN_CONTROLLERS: readonly Type[] = [
  PreviewStaticNetworksController,
  ShowClusterValidationsController,
  ShowHostValidationsController,
  ValidationOverridesController,
];
