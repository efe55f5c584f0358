export {
  canonicalArchitecture,
  type ControlPlaneHost,
  FEATURE_IDS,
  type FeatureFacts,
  type FeatureId,
  isAvailable,
  type SupportLevel,
  type UnavailableReason,
} from './feature';
export {
  checkFeatures,
  describeConflict,
  type FeatureConflict,
  type FeaturePlace,
  fieldOfConflict,
} from './features/check-features';
export { featureOfOperator, FEATURES } from './features/feature.table';
export {
  compareNumbers,
  compareVersions,
  isAtLeast,
  majorMinor,
  parseVersion,
  VERSION,
} from './levels/openshift-version';
export {
  architectureLevels,
  type ArchitectureLevels,
  type DetailedFeature,
  detailedFeatures,
  featureLevel,
  featureLevels,
  type FeatureLevels,
  platformLevel,
  type SupportQuery,
} from './levels/support-levels';
