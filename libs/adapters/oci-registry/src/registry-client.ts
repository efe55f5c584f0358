import { type HttpResponse, ImageRegistryError, type RegistryFault, type SendHttp } from '@muster/ports';
import { type ImageReference, servedName } from './image-reference';

/** Credentials of a pull secret. */
export interface PullSecret {
  /** Returns `user:password` in base64 for an image, from the longest entry that is a prefix of its name. */
  credentialsFor(registry: string, repository: string): string | undefined;
}

interface Auths {
  readonly auths?: { readonly [place: string]: { readonly auth?: string } };
}

/**
 * Parses the JSON of a pull secret. An empty text has no credentials.
 * @throws RangeError when the text is not a pull secret
 */
export function parsePullSecret(text: string): PullSecret {
  let auths: Auths['auths'];
  try {
    auths = text === '' ? {} : (JSON.parse(text) as Auths).auths;
  } catch {
    throw new RangeError('The pull secret is not JSON.');
  }
  if (!auths) throw new RangeError('The pull secret has no member "auths".');
  const entries = Object.entries(auths).map(
    ([place, { auth }]) => [servedName(place.replace(/^https?:\/\//, '').replace(/\/(v[12]\/?)?$/, '')), auth] as const,
  );
  return {
    credentialsFor: (registry, repository) => {
      const name = servedName(`${registry}/${repository}`);
      const [found] = entries
        .filter(([place]) => name === place || name.startsWith(`${place}/`))
        .sort(([a], [b]) => b.length - a.length);
      return found?.[1];
    },
  };
}

/** The authentication challenge of a registry: the scheme and its parameters. */
export interface Challenge {
  readonly scheme: 'basic' | 'bearer';
  readonly parameters: { readonly [name: string]: string };
}

/** A parameter of a challenge, or the scheme of the next one. */
const CHALLENGE_PARTS = /(\w+)=(?:"([^"]*)"|([^\s",]*))|(\w+)/g;

/** Parses a WWW-Authenticate header. When it has several challenges, the first one with a token server is returned. */
export function parseChallenge(header: string): Challenge | undefined {
  const challenges: { readonly name: string; readonly parameters: Record<string, string> }[] = [];
  for (const [, name = '', quoted, plain = '', scheme] of header.matchAll(CHALLENGE_PARTS)) {
    if (scheme) challenges.push({ name: scheme.toLowerCase(), parameters: {} });
    else Object.assign(challenges.at(-1)?.parameters ?? {}, { [name.toLowerCase()]: quoted ?? plain });
  }
  const firstOf = (scheme: Challenge['scheme']): Challenge | undefined => {
    const found = challenges.find(({ name }) => name === scheme);
    return found && { scheme, parameters: found.parameters };
  };
  return firstOf('bearer') ?? firstOf('basic');
}

export interface RegistryClientOptions {
  readonly send: SendHttp;
  readonly pullSecret: PullSecret;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Returns a time in milliseconds. */
  readonly nowMs: () => number;
}

/** The registry names an address that would disclose the request. A repeated request would fail too. */
class InsecureAddress extends Error {}

/** Sends one request below `/v2/<repository>/`, including authentication, redirects and retries. */
export interface RegistryClient {
  /**
   * Returns the answer with status 200 or 206.
   * @throws ImageRegistryError
   */
  get(
    place: ImageReference,
    path: string,
    headers: { readonly [name: string]: string },
    signal: AbortSignal,
  ): Promise<HttpResponse>;
}

const TRIES_MAX = 5;
/** A registry that sends nothing for so long is given up, because a preparation without progress times out. */
export const SILENCE_MS_MAX = 2 * 60_000;
const FIRST_DELAY_MS = 500;
const DELAY_MS_MAX = 30_000;
const REDIRECTS_MAX = 5;
const TOKEN_CHARS_MAX = 64 * 1024;
const REASON_CHARS_MAX = 300;

/** Authenticates with tokens or basic credentials as the registry requests. Retries after temporary failures. */
export function createRegistryClient({
  send,
  nowMs,
  pullSecret,
  random,
  sleep,
}: RegistryClientOptions): RegistryClient {
  /** Authorization header by registry and repository. */
  const authorizations = new Map<string, string>();

  const once = async (
    place: ImageReference,
    path: string,
    headers: { readonly [name: string]: string },
    signal: AbortSignal,
  ): Promise<HttpResponse> => {
    const key = `${place.registry}/${place.repository}`;
    const url = `https://${place.registry}/v2/${place.repository}/${path}`;
    const ask = (): Promise<HttpResponse> => {
      const authorization = authorizations.get(key);
      return follow(url, { ...headers, ...(authorization && { authorization }) }, signal);
    };
    const answer = await ask();
    if (answer.status !== 401) return answer;
    await readText(answer, TOKEN_CHARS_MAX);
    const authorization = await authorize(place, answer.headers['www-authenticate'] ?? '', signal);
    if (typeof authorization === 'object') return authorization;
    if (authorization === undefined || authorization === authorizations.get(key)) return answer;
    authorizations.set(key, authorization);
    return ask();
  };

  /**
   * A redirect leads to a storage host, which must not receive the credentials of the registry.
   * @throws InsecureAddress after a redirect from https to another scheme, because the network could read the request
   */
  const follow = async (
    url: string,
    headers: { readonly [name: string]: string },
    signal: AbortSignal,
  ): Promise<HttpResponse> => {
    let [at, sent] = [url, headers];
    for (let hops = 0; hops <= REDIRECTS_MAX; hops += 1) {
      const answer = await send({ method: 'GET', url: at, headers: sent }, signal);
      const { location } = answer.headers;
      if (![301, 302, 303, 307, 308].includes(answer.status) || !location) return answer;
      await readText(answer, TOKEN_CHARS_MAX);
      const [from, next] = [new URL(at), new URL(location, at)];
      if (next.protocol !== 'https:' && from.protocol !== next.protocol)
        throw new InsecureAddress(`${from.origin} redirects to ${next.origin}, which is not https`);
      if (next.origin !== from.origin) {
        const { authorization: _, ...rest } = sent;
        sent = rest;
      }
      at = next.href;
    }
    throw new Error(`more than ${REDIRECTS_MAX} redirects`);
  };

  /**
   * Returns an authorization header, or the answer of a token server with a temporary failure. Returns undefined when
   * the pull secret does not give access.
   * @throws InsecureAddress for a token server without TLS, because the registry itself is reached with TLS
   */
  const authorize = async (
    { registry, repository }: ImageReference,
    header: string,
    signal: AbortSignal,
  ): Promise<string | HttpResponse | undefined> => {
    const challenge = parseChallenge(header);
    const credentials = pullSecret.credentialsFor(registry, repository);
    const basic = credentials && `Basic ${credentials}`;
    if (challenge?.scheme !== 'bearer') return basic;
    const { realm, service, scope = `repository:${repository}:pull` } = challenge.parameters;
    if (!realm) return basic;
    const url = new URL(realm);
    if (url.protocol !== 'https:')
      throw new InsecureAddress(`its token server ${url.origin} is not https, so no request is sent to it`);
    if (service) url.searchParams.set('service', service);
    url.searchParams.set('scope', scope);
    const headers: Record<string, string> = basic ? { authorization: basic } : {};
    const answer = await follow(url.href, headers, signal);
    if (mayPass(answer.status)) return answer;
    const text = await readText(answer, TOKEN_CHARS_MAX);
    if (answer.status !== 200) return undefined;
    const { access_token, token } = parseToken(text, `${url.origin}${url.pathname}`);
    const bearer = token ?? access_token;
    return bearer && `Bearer ${bearer}`;
  };

  return {
    get: async (place, path, headers, signal) => {
      const image = `${place.registry}/${place.repository}${place.isByDigest ? '@' : ':'}${place.version}`;
      const startedMs = nowMs();
      for (let tried = 1; ; tried += 1) {
        const { answer, error } = await once(place, path, headers, signal).then(
          (found) => ({ answer: found, error: undefined }),
          (thrown: Error) => ({ answer: undefined, error: thrown }),
        );
        if (answer?.status === 200 || answer?.status === 206) return answer;
        const failure = answer
          ? new ImageRegistryError(
              image,
              place.registry,
              await meaningOf(answer),
              faultOf(answer.status),
              answer.status,
            )
          : new ImageRegistryError(
              image,
              place.registry,
              reasonOf(error),
              error instanceof InsecureAddress ? 'failing' : isOfCertificate(error) ? 'certificate' : 'unreachable',
            );
        const isSilent = failure.fault === 'unreachable' && nowMs() - startedMs >= SILENCE_MS_MAX;
        const isTemporary = failure.fault === 'unreachable' || mayPass(failure.status);
        if (!isTemporary || isSilent || tried >= TRIES_MAX || signal.aborted) throw failure;
        const delay = FIRST_DELAY_MS * 2 ** tried * (0.5 + random());
        await sleep(Math.min(askedMs(answer?.headers ?? {}) || delay, DELAY_MS_MAX), signal);
      }
    },
  };
}

const FAULTS: ReadonlyMap<number, RegistryFault> = new Map([
  [401, 'credentials'],
  [403, 'credentials'],
  [404, 'missing'],
  [429, 'busy'],
]);

const faultOf = (status: number): RegistryFault => FAULTS.get(status) ?? 'failing';

/** Returns the time that an answer asks to wait: seconds, or a date by the clock of the registry. NaN without either. */
function askedMs({ date, 'retry-after': asked }: HttpResponse['headers']): number {
  const seconds = Number(asked);
  const ms = Number.isNaN(seconds) ? Date.parse(asked ?? '') - Date.parse(date ?? '') : seconds * 1_000;
  return Math.max(ms, 0);
}

/** Returns whether a repeated request may succeed. */
const mayPass = (status: number): boolean => status === 429 || status >= 500;

interface TokenAnswer {
  readonly token?: string;
  readonly access_token?: string;
}

/** @throws Error when the text is not JSON: a proxy has probably answered in place of the token server */
function parseToken(text: string, server: string): TokenAnswer {
  try {
    return (JSON.parse(text) as TokenAnswer | null) ?? {};
  } catch {
    throw new Error(`the token server ${server} did not answer with JSON`);
  }
}

/** Returns whether the error code of OpenSSL or Node is about a certificate. */
const isOfCertificate = (error: NodeJS.ErrnoException): boolean =>
  /CERT|UNABLE_TO_(VERIFY|GET_ISSUER)/.test(error.code ?? '');

async function meaningOf(answer: HttpResponse): Promise<string> {
  // The status remains known when the connection breaks in the middle of the text.
  const whole = await readText(answer, TOKEN_CHARS_MAX).catch(() => '');
  const text = whole.trim().slice(0, REASON_CHARS_MAX);
  const meanings = new Map([
    [401, 'the registry does not accept the credentials of the pull secret'],
    [403, 'the credentials of the pull secret may not read it'],
    [404, 'the registry does not have it'],
    [416, 'the registry does not have the requested part'],
    [429, 'the registry received too many requests'],
  ]);
  const meaning = meanings.get(answer.status) ?? 'the registry failed';
  return `${meaning} (${answer.status}${text ? `: ${text}` : ''})`;
}

function reasonOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return code && !error.message.includes(code) ? `${error.message} (${code})` : error.message;
}

/** Reads a body to its end and returns its beginning. */
export async function readText({ body }: HttpResponse, charsMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes <= charsMax) chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
