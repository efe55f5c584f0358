import { Type } from '@sinclair/typebox';
import { StringEnum, Dictionary } from '@muster/assisted-api';
import type { SupportLevel, UnavailableReason } from '@muster/feature-support';

const LEVELS = [
  'supported',
  'unsupported',
  'tech-preview',
  'dev-preview',
  'unavailable',
] as const satisfies readonly SupportLevel[];
const REASONS = [
  'cpuArchitecture',
  'platform',
  'openshiftVersion',
  'ociExternalIntegrationDisabled',
] as const satisfies readonly UnavailableReason[];

export const supportLevel = () => StringEnum<SupportLevel>(LEVELS);
export const unavailableReason = () => StringEnum<UnavailableReason>(REASONS);

/** By the feature's id. */
export const V2_FEATURE_LEVELS = Type.Object({ features: Dictionary(supportLevel()) }, { title: 'feature-levels' });
/** By the architecture's id. */
export const V2_ARCHITECTURE_LEVELS = Type.Object(
  { architectures: Dictionary(supportLevel()) },
  { title: 'architecture-levels' },
);
