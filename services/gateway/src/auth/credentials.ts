import type { FastifyRequest } from 'fastify';
import type { AuthScheme } from './accepts.decorator';

type Asked = Pick<FastifyRequest, 'headers' | 'query'>;

const HEADERS: ReadonlyMap<AuthScheme, string> = new Map([
  ['userAuth', 'authorization'],
  ['agentAuth', 'x-secret-key'],
  ['imageAuth', 'image-token'],
  ['watcherAuth', 'watcher-authorization'],
]);
const PARAMETERS: ReadonlyMap<AuthScheme, string> = new Map([
  ['urlAuth', 'api_key'],
  ['imageURLAuth', 'image_token'],
]);
const BEARER = /^bearer\s+/i;

/** What the request carries for a scheme, without the word before it; undefined when nothing. */
export function credentialOf(scheme: AuthScheme, { headers, query }: Asked): string | undefined {
  const header = HEADERS.get(scheme);
  const parameter = PARAMETERS.get(scheme);
  const given = header ? headers[header] : (query as { readonly [name: string]: unknown })[parameter ?? ''];
  return typeof given === 'string' && given !== '' ? given : undefined;
}

/** The token behind the word Bearer; undefined when the word is missing. */
export function bearerToken(credential: string): string | undefined {
  return BEARER.test(credential) ? credential.replace(BEARER, '') : undefined;
}
