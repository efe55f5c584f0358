/** Credentials of a pull secret. */
export interface PullSecret {
  /** Returns `user:password` in base64 for an image, by the longest entry that is a prefix of its name. */
  credentialsFor(registry: string, repository: string): string | undefined;
}

interface Auths {
  readonly auths?: { readonly [place: string]: { readonly auth?: string } };
}

/** Reads the JSON of a pull secret; an empty text has no credentials. @throws RangeError when it is not one */
export function parsePullSecret(text: string): PullSecret {
  let auths: Auths['auths'];
  try {
    auths = text === '' ? {} : (JSON.parse(text) as Auths).auths;
  } catch {
    throw new RangeError('The pull secret is not JSON.');
  }
  if (!auths) throw new RangeError('The pull secret has no member "auths".');
  const entries = Object.entries(auths).map(
    ([place, { auth }]) => [place.replace(/^https?:\/\//, '').replace(/\/(v[12]\/?)?$/, ''), auth] as const,
  );
  return {
    credentialsFor: (registry, repository) => {
      const name = `${registry}/${repository}`;
      const [found] = entries
        .filter(([place]) => name === place || name.startsWith(`${place}/`))
        .sort(([a], [b]) => b.length - a.length);
      return found?.[1];
    },
  };
}

/** The challenge of a registry: the scheme and its parameters. */
export interface Challenge {
  readonly scheme: 'basic' | 'bearer';
  readonly parameters: { readonly [name: string]: string };
}

/** Reads a WWW-Authenticate header. */
export function parseChallenge(header: string): Challenge | undefined {
  const [, scheme = '', rest = ''] = /^\s*(\w+)\s*(.*)$/s.exec(header) ?? [];
  const parameters = Object.fromEntries(
    [...rest.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name.toLowerCase(), value]),
  );
  const kind = scheme.toLowerCase();
  return kind === 'basic' || kind === 'bearer' ? { scheme: kind, parameters } : undefined;
}
