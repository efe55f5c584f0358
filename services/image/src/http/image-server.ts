import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { ImageConfig } from '../config';

/** A token in a path is longer than a router expects. */
const PATH_PARAMETER_CHARACTERS_MAX = 4_096;
export const HEADERS_TIMEOUT_MS = 3_000;

/** Downloads that are under way do not keep the service from stopping: clients resume them. */
export const createImageServer = ({ tls }: Pick<ImageConfig, 'tls'>): FastifyAdapter =>
  new FastifyAdapter({
    routerOptions: { maxParamLength: PATH_PARAMETER_CHARACTERS_MAX },
    forceCloseConnections: true,
    ...(tls ? { https: tls } : { http: { headersTimeout: HEADERS_TIMEOUT_MS } }),
  });
