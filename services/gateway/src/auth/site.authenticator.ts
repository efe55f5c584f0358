import type { KeyObject } from 'node:crypto';
import { RefusalError } from '@muster/problems';
import type { AuthScheme } from './accepts.decorator';
import type { Authenticator } from './authenticator';
import { ADMIN, type Caller } from './caller';
import { bearerToken } from './credentials';

const SCHEMES: readonly AuthScheme[] = ['userAuth', 'agentAuth', 'watcherAuth'];

/**
 * AUTH_TYPE=agent-installer-local: a site that installs itself. Its tokens are signed by one key, say which scheme they are for and
 * open everything; they expire only if they say so.
 */
export class SiteAuthenticator implements Authenticator {
  constructor(private readonly publicKey: KeyObject) {}

  async authenticate(scheme: AuthScheme, credential: string): Promise<Caller | undefined> {
    if (!SCHEMES.includes(scheme)) return undefined;
    const { jwtVerify } = await import('jose');
    const token = bearerToken(credential) ?? credential;
    const verified = await jwtVerify(token, this.publicKey, { algorithms: ['ES256'] }).catch(() => undefined);
    if (!verified) return undefined;
    const { auth_scheme: claimed } = verified.payload;
    if (claimed === scheme) return ADMIN;
    if (claimed === '')
      throw new RefusalError({
        code: 'invalid-input',
        reason: 'The auth_scheme of the token is empty.',
        subject: 'auth_scheme',
      });
    throw new RefusalError({
      code: 'forbidden',
      reason: `The token is for ${typeof claimed === 'string' && claimed !== '' ? claimed.slice(0, 32) : 'no scheme'}, not for ${scheme}.`,
      subject: 'auth_scheme',
    });
  }
}
