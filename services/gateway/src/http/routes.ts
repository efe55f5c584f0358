import type { INestApplication } from '@nestjs/common';

/** Prefix of the paths of the v2 API. */
export const API_PREFIX = 'api/assisted-install';

/** Prefix of the Muster API: paths that assisted-service v2 does not have. */
export const MUSTER_API = 'api/muster/v1';

/** Begins the target of a request that a client sends as to a proxy (RFC 9112, absolute-form). Every server must accept it. */
const ORIGIN = /^https?:\/\/[^/?#]*\/?/i;

/**
 * Returns the URL for routing. Existing clients send double and trailing slashes (`/v2/clusters//default-config`,
 * `/v2/clusters/`) and do not follow redirects. The query is not changed.
 */
export function cleanPath(target: string): string {
  const url = target.startsWith('/') ? target : target.replace(ORIGIN, '/');
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  if (!path.includes('//') && (path.length < 2 || !path.endsWith('/'))) return url;
  const cleaned = path.replace(/\/{2,}/g, '/');
  return (
    (cleaned.length > 1 && cleaned.endsWith('/') ? cleaned.slice(0, -1) : cleaned) + (query < 0 ? '' : url.slice(query))
  );
}

/** Whether the URL is one of the Muster API, whose errors are problems (RFC 9457). */
export const isOfMusterApi = (url: string): boolean => cleanPath(url).startsWith(`/${MUSTER_API}/`);

/** Adds the v2 prefix to all routes except those of the Muster API and the probes. */
export const setPaths = (app: INestApplication): INestApplication =>
  app.setGlobalPrefix(API_PREFIX, { exclude: ['health', 'metrics', 'ready', `${MUSTER_API}/*path`] });

/** All served routes, which distinguish a wrong method from an unknown path. */
export class RouteTable {
  private readonly methodsByPattern = new Map<string, { readonly matcher: RegExp; readonly methods: Set<string> }>();

  add(pattern: string, methods: string | readonly string[]): void {
    const known = this.methodsByPattern.get(pattern) ?? { matcher: toMatcher(pattern), methods: new Set<string>() };
    for (const method of [methods].flat()) known.methods.add(method);
    this.methodsByPattern.set(pattern, known);
  }

  /** All patterns with their methods, in the order of registration. */
  all(): readonly { readonly pattern: string; readonly methods: readonly string[] }[] {
    return [...this.methodsByPattern].map(([pattern, { methods }]) => ({ pattern, methods: [...methods] }));
  }

  /** Returns the methods of a path (cleaned, without query); empty when the path is unknown. */
  methodsOf(path: string): readonly string[] {
    const methods = [...this.methodsByPattern.values()]
      .filter(({ matcher }) => matcher.test(path))
      .flatMap((route) => [...route.methods]);
    return [...new Set(methods)].sort();
  }
}

const toMatcher = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split('/')
      .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
      .join('/')}$`,
  );
