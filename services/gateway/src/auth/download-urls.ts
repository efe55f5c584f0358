import { UNSET_TIME, type V2SignedUrl } from '@muster/assisted-api';
import { CLOCK, downloadTokenKey, SECRETS } from '@muster/nest-kit';
import type { Clock, Secrets } from '@muster/ports';
import { Inject, Injectable, SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { API_PREFIX } from '../http/routes';
import { ADMIN, type Caller, type Role } from './caller';

/** How long the URL of a download is valid. */
export const DOWNLOAD_URL_LIFETIME_MS = 10 * 60_000;
const PARAMETER = 'download_token';
const ALGORITHM = 'HS256';
const AUDIENCE = 'download';
const ROLES: readonly Role[] = ['admin', 'read-only-admin', 'user'];

/** Metadata key of the routes for which `DownloadUrls` signs URLs. */
export const OPENED_BY_URL = Symbol('opened by a signed URL');

/** The route accepts signed URLs instead of other credentials. */
export const OpenedByUrl = (): MethodDecorator => SetMetadata(OPENED_BY_URL, true);

type Asked = Pick<FastifyRequest, 'host' | 'protocol' | 'caller'>;

/**
 * Creates and checks URLs with a token in place of credentials. A token is valid for one caller, one path with query,
 * and `DOWNLOAD_URL_LIFETIME_MS`.
 */
@Injectable()
export class DownloadUrls {
  constructor(
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'authType' | 'serviceBaseUrl'>,
  ) {}

  /** The URL of a download. `path` is relative to the v2 API. Without authentication the URL has no token and does not expire. */
  async create(path: string, query: { readonly [name: string]: string }, request: Asked): Promise<V2SignedUrl> {
    const base = this.config.serviceBaseUrl ?? `${request.protocol}://${request.host}`;
    const target = `/${API_PREFIX}/${path}?${new URLSearchParams(query).toString()}`;
    if (this.config.authType === 'none') return { url: base + target, expires_at: UNSET_TIME };
    const { SignJWT } = await import('jose');
    const { user, org, role } = request.caller ?? ADMIN;
    const expiresAt = new Date(this.clock.nowMs() + DOWNLOAD_URL_LIFETIME_MS);
    const token = await new SignJWT({ target: canonical(target), org, role })
      .setSubject(user)
      .setAudience(AUDIENCE)
      .setExpirationTime(expiresAt)
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .sign(await downloadTokenKey(this.secrets));
    return { url: `${base}${target}&${PARAMETER}=${token}`, expires_at: expiresAt.toISOString() };
  }

  /** Returns the caller for which the URL was created; undefined when the request has no valid token. */
  async callerOf({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): Promise<Caller | undefined> {
    const token = new URL(url, BASE).searchParams.get(PARAMETER);
    if (token === null || (method !== 'GET' && method !== 'HEAD')) return undefined;
    const { jwtVerify } = await import('jose');
    const verified = await jwtVerify(token, await downloadTokenKey(this.secrets), {
      algorithms: [ALGORITHM],
      audience: AUDIENCE,
      currentDate: new Date(this.clock.nowMs()),
      requiredClaims: ['exp', 'sub'],
    }).catch(() => undefined);
    if (!verified || verified.payload['target'] !== canonical(url)) return undefined;
    const { sub: user = '', org, role: claimed } = verified.payload;
    const role = ROLES.find((known) => known === claimed);
    return role && { kind: 'user', user, org: typeof org === 'string' ? org : '', role };
  }
}

const BASE = 'http://localhost';

/**
 * Returns the path and the query without the token, with sorted parameters. The HTTP server also reads parameters after a `#`, so
 * that part counts too.
 */
function canonical(target: string): string {
  const { pathname, searchParams, hash } = new URL(target, BASE);
  searchParams.delete(PARAMETER);
  searchParams.sort();
  return `${pathname}?${searchParams.toString()}${hash}`;
}
