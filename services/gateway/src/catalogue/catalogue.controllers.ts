import type { Type } from '@nestjs/common';
import { ListArchitectureLevelsController } from './list-architecture-levels/list-architecture-levels.controller';
import { ListComponentVersionsController } from './list-component-versions/list-component-versions.controller';
import { ListDetailedFeaturesController } from './list-detailed-features/list-detailed-features.controller';
import { ListFeatureLevelsController } from './list-feature-levels/list-feature-levels.controller';
import { ListManagedDomainsController } from './list-managed-domains/list-managed-domains.controller';
import { ListOpenshiftVersionsController } from './list-openshift-versions/list-openshift-versions.controller';
import { ListReleaseSourcesController } from './list-release-sources/list-release-sources.controller';
import { ShowDefaultConfigController } from './show-default-config/show-default-config.controller';

export const CATALOGUE_CONTROLLERS: readonly Type[] = [
  ListArchitectureLevelsController,
  ListComponentVersionsController,
  ListDetailedFeaturesController,
  ListFeatureLevelsController,
  ListManagedDomainsController,
  ListOpenshiftVersionsController,
  ListReleaseSourcesController,
  ShowDefaultConfigController,
];
