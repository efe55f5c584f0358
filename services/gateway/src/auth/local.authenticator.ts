import type { AuthScheme } from './accepts.decorator';
import type { Authenticator } from './authenticator';
import { agentOf, type Caller } from './caller';
import type { LocalTokens } from './local-tokens';
import type { TokenScopes } from './token-scope.service';

/** AUTH_TYPE=local: tokens of one infra-env or cluster each, for agents and signed URLs. Users have no tokens in this mode. */
export class LocalAuthenticator implements Authenticator {
  constructor(
    private readonly tokens: LocalTokens,
    private readonly scopes: TokenScopes,
  ) {}

  async authenticate(scheme: AuthScheme, credential: string): Promise<Caller | undefined> {
    if (scheme !== 'agentAuth' && scheme !== 'urlAuth') return undefined;
    const scope = await this.tokens.verify(credential);
    return scope && (await this.scopes.exists(scope)) ? agentOf(scope) : undefined;
  }
}
