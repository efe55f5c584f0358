import type { Type } from '@nestjs/common';
import { PreflightController } from './preflight/preflight.controller';
import { PreviewStaticNetworksController } from './preview-static-networks/preview-static-networks.controller';
import { ShowFunnelController } from './show-funnel/show-funnel.controller';
import { ShowPastClusterController } from './show-past-cluster/show-past-cluster.controller';
import { ShowTimelineController } from './show-timeline/show-timeline.controller';
import { ShowClusterValidationsController } from './show-validations/show-cluster-validations.controller';
import { ShowHostValidationsController } from './show-validations/show-host-validations.controller';
import { ValidationOverridesController } from './validation-overrides/validation-overrides.controller';

/** What Muster offers beside the contract. */
export const OWN_CONTROLLERS: readonly Type[] = [
  PreflightController,
  PreviewStaticNetworksController,
  ShowFunnelController,
  ShowPastClusterController,
  ShowTimelineController,
  ShowClusterValidationsController,
  ShowHostValidationsController,
  ValidationOverridesController,
];
