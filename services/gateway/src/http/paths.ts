import type { INestApplication } from '@nestjs/common';

/** Prefix of the paths of the v2 API. */
export const API_PREFIX = 'api/assisted-install';

/** Prefix of Muster's own paths, which assisted-service v2 does not have. */
export const OWN_API = 'api/muster/v1';

/** Puts the v2 prefix before all routes except Muster's own and the probes. */
export const setPaths = (app: INestApplication): INestApplication =>
  app.setGlobalPrefix(API_PREFIX, { exclude: ['health', 'metrics', 'ready', `${OWN_API}/*path`] });
