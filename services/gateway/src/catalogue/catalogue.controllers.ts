import type { Type } from '@nestjs/common';
import { ListComponentVersionsController } from './list-component-versions/list-component-versions.controller';
import { ListManagedDomainsController } from './list-managed-domains/list-managed-domains.controller';
import { ListOpenshiftVersionsController } from './list-openshift-versions/list-openshift-versions.controller';
import { ListSupportedOperatorsController } from './list-supported-operators/list-supported-operators.controller';
import { ShowDefaultConfigController } from './show-default-config/show-default-config.controller';

export const CATALOGUE_CONTROLLERS: readonly Type[] = [
  ListComponentVersionsController,
  ListManagedDomainsController,
  ListOpenshiftVersionsController,
  ListSupportedOperatorsController,
  ShowDefaultConfigController,
];
