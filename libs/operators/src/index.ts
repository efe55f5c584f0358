export {
  OPERATOR_NAMES,
  OPERATOR_PLUGINS,
  OPERATOR_SETTINGS,
  type OperatorName,
  operatorNamed,
  OPERATORS,
} from './operators.table';
export { OPERATOR_MESSAGES } from './plugin/operator-claim';
export {
  type ClusterShape,
  MOST_COUNTED,
  NO_SHAPE,
  type OperatorCluster,
  type OperatorHost,
  shapeOf,
} from './plugin/operator-facts';
export { NOTHING, NOTHING_AHEAD, type OperatorPlugin, type OperatorProperty } from './plugin/operator-plugin';
export { faultOfSetting, type OperatorSettings, STANDARD_SETTINGS } from './plugin/operator-settings';
export {
  type Bundle,
  BUNDLE_IDS,
  bundleNamed,
  bundlesOf,
  chooseOperators,
  withDependencies,
} from './selection/choose-operators';
export { operatorManifests, type OperatorManifests } from './selection/operator-manifests';
export { meetsControlPlaneOperators, resourcesOfOperators, storedGbOf } from './selection/operator-resources';
