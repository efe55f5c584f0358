import type { Type } from '@nestjs/common';
import { ListBundlesController } from './list-bundles/list-bundles.controller';
import { ListSupportedOperatorsController } from './list-supported-operators/list-supported-operators.controller';
import { ShowBundleController } from './show-bundle/show-bundle.controller';
import { ShowOperatorPropertiesController } from './show-operator-properties/show-operator-properties.controller';

export const OPERATOR_CONTROLLERS: readonly Type[] = [
  ListBundlesController,
  ListSupportedOperatorsController,
  ShowBundleController,
  ShowOperatorPropertiesController,
];
