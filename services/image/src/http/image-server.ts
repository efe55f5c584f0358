import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { CLOSE_MAX_WAIT_MS, portOf, SECURITY_HEADERS } from '@muster/nest-kit';
import { toProblemDocument } from '@muster/problems';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import type { ImageConfig } from '../config';

/** CORS headers as in assisted-image-service. */
export const CROSS_ORIGIN = {
  methods: ['GET', 'HEAD'],
  allowedHeaders: ['Authorization', 'Content-Type'],
  maxAge: 600,
};

/** A token in a path is longer than the default limit of the router. */
const PATH_PARAMETER_CHARACTERS_MAX = 4_096;

/** Limits for clients that send their request slowly, in milliseconds. */
export interface RequestTimeouts {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
}

/** As at the REST API. They end before the response begins, so a download may take longer. */
const TIMEOUTS: RequestTimeouts = {
  headersTimeout: 30_000,
  requestTimeout: 600_000,
  connectionsCheckingInterval: 10_000,
};

/** The path is not repeated, because it may contain a token. */
const UNDECODABLE = toProblemDocument({
  code: 'invalid-input',
  reason: 'The path of the URL cannot be decoded. Write a percent sign as %25.',
});
const PROBLEM_TYPE = 'application/problem+json';

/**
 * At a stop, idle connections are closed immediately. `closePromptly` waits for downloads and then aborts them; clients
 * resume them.
 */
export const createImageServer = ({ tls }: Pick<ImageConfig, 'tls'>, timeouts = TIMEOUTS): FastifyAdapter =>
  new FastifyAdapter({
    routerOptions: { maxParamLength: PATH_PARAMETER_CHARACTERS_MAX },
    forceCloseConnections: 'idle',
    // No hook runs for a request that cannot be routed.
    frameworkErrors: (_error: unknown, _request: unknown, reply: FastifyReply) =>
      void reply
        .status(UNDECODABLE.status)
        .headers(SECURITY_HEADERS)
        .type(PROBLEM_TYPE)
        .send(JSON.stringify(UNDECODABLE)),
    requestTimeout: timeouts.requestTimeout,
    http: timeouts,
    ...(tls && { https: { ...timeouts, ...tls } }),
  });

type Route = (request: IncomingMessage, response: ServerResponse) => void;

const NOT_FOUND = 404;
const PROBLEM = JSON.stringify({
  type: 'urn:muster:problem:not-found',
  title: 'Not found',
  status: NOT_FOUND,
  detail: 'This HTTP endpoint serves only the files of network boot. Use HTTPS for images.',
});

/**
 * Opens a second endpoint without TLS, for firmware that does not support TLS. Beside an endpoint with TLS it serves
 * only the files of network boot.
 */
export async function openPlainTransport(
  route: Route,
  options: { readonly port: number; readonly host: string; readonly isBesideTls: boolean },
  timeouts = TIMEOUTS,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server: Server = createServer(timeouts, (request, response) => {
    if (!options.isBesideTls || isForNetworkBoot(request.url ?? '')) return route(request, response);
    response.writeHead(NOT_FOUND, { 'content-type': PROBLEM_TYPE }).end(PROBLEM);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => resolve());
  });
  return {
    port: portOf(server),
    close: () =>
      new Promise((resolve) => {
        const cut = setTimeout(() => server.closeAllConnections(), CLOSE_MAX_WAIT_MS);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

export function isForNetworkBoot(url: string): boolean {
  // The HTTP server also reads parameters after a `#`.
  const [path = ''] = url.split(/[?#]/, 1);
  return /^\/boot-artifacts\//.test(path) || /^\/images\/.+\/pxe-initrd$/.test(path) || /^\/(health|live)$/.test(path);
}
