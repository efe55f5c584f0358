import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A token issuer on a real socket: discovery document, keys, and tokens for tests. */
export interface TestIssuer {
  readonly url: string;
  /** Returns a valid token, changed by `claims` and `options`. */
  token(claims: object, options?: { readonly expiresIn?: string; readonly by?: 'a stranger' }): Promise<string>;
  /** Replaces the signing keys and publishes the new ones only. */
  changeKeys(): Promise<void>;
  close(): Promise<void>;
}

export async function startTestIssuer(): Promise<TestIssuer> {
  const { exportJWK, generateKeyPair, SignJWT } = await import('jose');
  const stranger = await generateKeyPair('RS256');
  let generation = 0;
  let keys = await generateKeyPair('RS256');

  const answers = async (path: string): Promise<object> =>
    path === '/.well-known/openid-configuration'
      ? { issuer: url, jwks_uri: `${url}/keys` }
      : { keys: [{ ...(await exportJWK(keys.publicKey)), kid: `key-${generation}`, alg: 'RS256', use: 'sig' }] };
  const server = createServer((request, response) => {
    void answers(request.url ?? '').then((body) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    token: (claims, { expiresIn = '5m', by } = {}) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: `key-${generation}` })
        .setIssuer(url)
        .setIssuedAt()
        .setExpirationTime(expiresIn)
        .sign(by ? stranger.privateKey : keys.privateKey),
    changeKeys: async () => {
      keys = await generateKeyPair('RS256');
      generation += 1;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
