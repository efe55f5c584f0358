import { choice, dictionary, record } from '@muster/assisted-api';
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

export const supportLevel = () => choice<SupportLevel>(LEVELS);
export const unavailableReason = () => choice<UnavailableReason>(REASONS);

/** By the feature's id. */
export const V2_FEATURE_LEVELS = record('feature-levels', { features: dictionary(supportLevel()) });
/** By the architecture's id. */
export const V2_ARCHITECTURE_LEVELS = record('architecture-levels', { architectures: dictionary(supportLevel()) });
