import type { FeatureLevelsQuery } from '@muster/assisted-api';
import { canonicalArchitecture, type SupportQuery } from '@muster/feature-support';

const DEFAULT_ARCHITECTURE = 'x86_64';

/** The query in the terms of the table. */
export function toSupportQuery(query: FeatureLevelsQuery): SupportQuery {
  return {
    version: query.openshift_version,
    architecture: canonicalArchitecture(query.cpu_architecture ?? DEFAULT_ARCHITECTURE),
    platform: query.platform_type,
    externalPlatformName: query.platform_type === 'external' ? query.external_platform_name : undefined,
  };
}
