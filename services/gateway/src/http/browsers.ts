import { isIP } from 'node:net';
import { isAllowedOrigin, SECURITY_HEADERS } from '@muster/nest-kit';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config';
import { EVALUATION_HEADER, EVENT_COUNT_HEADERS } from './headers';
import { errorAnswer } from './error.filter';

const READING: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
const PREFLIGHT_MAX_AGE_SECONDS = 600;
const EXPOSED_HEADERS = [
  ...Object.keys(EVENT_COUNT_HEADERS),
  'Content-Disposition',
  'X-Request-Id',
  'Retry-After',
  'ETag',
  EVALUATION_HEADER,
];

/** Swagger UI has inline scripts and styles. */
const PAGE_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

type BrowserConfig = Pick<GatewayConfig, 'allowedDomains' | 'allowedHosts' | 'authType' | 'serviceBaseUrl'>;

/**
 * Sets the rules for browsers: CORS for `ALLOWED_DOMAINS`, security headers, and, without authentication, the checks of
 * Origin and Host.
 */
export function protectFromBrowsers(app: NestFastifyApplication, config: BrowserConfig, page: string): void {
  const isAllowed = (origin: string): boolean => isAllowedOrigin(origin, config.allowedDomains);
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  if (config.allowedDomains.length > 0)
    app.enableCors({
      origin: (origin: string | undefined, done: (error: Error | null, allow: boolean) => void) =>
        done(null, origin !== undefined && isAllowed(origin)),
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowedHeaders: [
        'Authorization',
        'Content-Type',
        'Idempotency-Key',
        'If-None-Match',
        'get_unregistered_clusters',
      ],
      exposedHeaders: EXPOSED_HEADERS,
      maxAge: PREFLIGHT_MAX_AGE_SECONDS,
    });
  server.addHook('onRequest', (request, reply, done) => {
    const isPage = request.url.startsWith(`/${page}`) && /^(?:$|[/?#])/.test(request.url.slice(page.length + 1));
    void reply.headers(isPage ? { ...SECURITY_HEADERS, 'Content-Security-Policy': PAGE_POLICY } : SECURITY_HEADERS);
    if (!isPage) void reply.header('Cache-Control', 'no-store');
    if (isPage && /\.map(?:$|\?)/.test(request.url)) return void notFound(reply);
    const refusal = config.authType === 'none' ? refusalOf(request, config, isAllowed) : undefined;
    if (refusal !== undefined) return void refuse(request, reply, refusal);
    done();
  });
}

/** Returns why a request is refused without authentication; undefined when it is served. */
function refusalOf(
  { headers, method }: FastifyRequest,
  config: BrowserConfig,
  isAllowed: (origin: string) => boolean,
): string | undefined {
  const { host = '', origin } = headers;
  if (!isOwnHost(hostNameOf(host), config))
    return `Host ${JSON.stringify(host.slice(0, 80))} is not served with AUTH_TYPE=none. Add it to ALLOWED_HOSTS or set SERVICE_BASE_URL.`;
  if (origin === undefined || READING.includes(method) || isAllowed(origin)) return undefined;
  if (origin === `http://${host}` || origin === `https://${host}`) return undefined;
  return `Origin ${JSON.stringify(origin.slice(0, 80))} may not send write requests with AUTH_TYPE=none. Add it to ALLOWED_DOMAINS.`;
}

/**
 * Names that the DNS zone of an attacker cannot point to this service: addresses, names without a dot, and names in the
 * settings.
 */
function isOwnHost(name: string, { allowedHosts, serviceBaseUrl }: BrowserConfig): boolean {
  if (isIP(name) > 0 || !name.includes('.') || name.endsWith('.localhost')) return true;
  if (allowedHosts.some((allowed) => allowed.toLowerCase() === name)) return true;
  return serviceBaseUrl !== undefined && URL.canParse(serviceBaseUrl) && new URL(serviceBaseUrl).hostname === name;
}

/** Removes the port: `name:8090` becomes `name`, `[fd00::7]:8090` becomes `fd00::7`. */
const hostNameOf = (host: string): string => {
  const [, address] = /^\[([^\]]*)\]/.exec(host) ?? [];
  return (address ?? host.replace(/:\d*$/, '')).toLowerCase();
};

const refuse = ({ url }: FastifyRequest, reply: FastifyReply, reason: string): FastifyReply => {
  const { status, type, body } = errorAnswer(url, { code: 'forbidden', reason });
  return reply.status(status).type(type).send(JSON.stringify(body));
};

const notFound = (reply: FastifyReply): FastifyReply => reply.status(404).send({ code: 404, message: 'not found' });
