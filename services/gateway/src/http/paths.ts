import type { INestApplication } from '@nestjs/common';
import { OWN_API } from '../muster-api/muster-api';

/** Where the contract's paths begin. */
export const API_PREFIX = 'api/assisted-install';

/** What is not of the contract stands beside its paths. */
export const setPaths = (app: INestApplication): INestApplication =>
  app.setGlobalPrefix(API_PREFIX, { exclude: ['health', 'metrics', 'ready', `${OWN_API}/*path`] });
