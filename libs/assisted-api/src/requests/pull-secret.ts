/** The reason why a pull secret cannot be used, without any of its content; undefined when it can. */
export function pullSecretError(text: string): string | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return 'pull_secret is not JSON; paste the whole document as it was downloaded';
  }
  const auths = isObject(document) ? document['auths'] : undefined;
  if (!isObject(auths) || Object.keys(auths).length === 0) {
    return 'pull_secret has no "auths": it must be {"auths": {"<registry>": {"auth": "<base64 of user:password>"}}}';
  }
  for (const [registry, entry] of Object.entries(auths)) {
    const auth = isObject(entry) ? entry['auth'] : undefined;
    if (typeof auth !== 'string' || auth === '') return `pull_secret has no "auth" for registry ${quoted(registry)}`;
    if (!isUserAndPassword(auth)) {
      return `the "auth" of registry ${quoted(registry)} in pull_secret is not base64 of user:password`;
    }
  }
  return undefined;
}

const isUserAndPassword = (auth: string): boolean =>
  /^[A-Za-z0-9+/]+={0,2}$/.test(auth) && Buffer.from(auth, 'base64').toString('utf8').includes(':');

// A registry is an address, not a secret; a bound keeps a mistaken paste out of the answer.
const quoted = (registry: string): string => JSON.stringify(registry.slice(0, 64));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
