import type { FastifyRequest } from 'fastify';
import type { AuthScheme } from './accepts.decorator';

type Asked = Pick<FastifyRequest, 'headers' | 'query'>;

/** Where a request carries its credential. */
export interface CredentialPlace {
  readonly place: 'header' | 'query';
  readonly name: string;
  /** Text of the API document. */
  readonly description: string;
}

export const CREDENTIAL_PLACES: ReadonlyMap<AuthScheme, CredentialPlace> = new Map<AuthScheme, CredentialPlace>([
  ['userAuth', { place: 'header', name: 'Authorization', description: 'Users: `Bearer` and a token.' }],
  ['agentAuth', { place: 'header', name: 'X-Secret-Key', description: 'Token of an agent or a controller.' }],
  ['urlAuth', { place: 'query', name: 'api_key', description: 'Token of a signed URL.' }],
  ['imageAuth', { place: 'header', name: 'Image-Token', description: 'Token of an image, sent by the image service.' }],
  ['imageURLAuth', { place: 'query', name: 'image_token', description: 'Token of a signed image URL.' }],
  ['watcherAuth', { place: 'header', name: 'Watcher-Authorization', description: 'Token of a program that watches.' }],
]);
const NOWHERE: Pick<CredentialPlace, 'place' | 'name'> = { place: 'query', name: '' };
const BEARER = /^bearer\s+/i;

/** The credential of a scheme in the request; undefined when there is none. */
export function credentialOf(scheme: AuthScheme, { headers, query }: Asked): string | undefined {
  const { place, name } = CREDENTIAL_PLACES.get(scheme) ?? NOWHERE;
  const given =
    place === 'header' ? headers[name.toLowerCase()] : (query as { readonly [name: string]: unknown })[name];
  return typeof given === 'string' && given !== '' ? given : undefined;
}

/** The token behind `Bearer`; undefined without `Bearer`. */
export function bearerToken(credential: string): string | undefined {
  return BEARER.test(credential) ? credential.replace(BEARER, '') : undefined;
}
