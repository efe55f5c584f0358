import type { KeyObject } from 'node:crypto';
import { UUID_PATTERN } from '@muster/assisted-api';
import { agentTokenGeneration, isCurrentGeneration } from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import type { GatewayConfig } from '../config';
import {
  ADMIN,
  agentOf,
  type Authenticator,
  type AuthScheme,
  bearerToken,
  type Caller,
  type TokenScope,
} from './caller';
import type { TokenScopes } from './ownership';

const ALGORITHM = 'ES256';

/**
 * Tokens of AUTH_TYPE=local. They are signed with ES256 and name the one infra-env or cluster to which they give
 * access.
 */
export class LocalTokens {
  /** Without keys every token is refused and none can be signed. */
  constructor(
    private readonly keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } | undefined,
    private readonly secrets: Secrets,
  ) {}

  /**
   * Returns the scope of the token; undefined when it is forged, expired or has no scope. Tokens of assisted-service v2
   * do not expire.
   * @throws when the secrets cannot be read. As a token that is not valid, it would end the agent, which does not retry after a 401.
   */
  async verify(token: string): Promise<TokenScope | undefined> {
    if (!this.keys) return undefined;
    const { jwtVerify } = await import('jose');
    const verified = await jwtVerify(token, this.keys.publicKey, { algorithms: [ALGORITHM] }).catch(() => undefined);
    const scope = verified && readScope(verified.payload);
    return scope && (await isCurrent(this.secrets, scope, verified.payload)) ? scope : undefined;
  }

  /** Signs a token that gives access to the infra-env until it expires. */
  async signForInfraEnv(infraEnvId: string, expiresAtMs: number): Promise<string> {
    if (!this.keys) throw new Error('Tokens can be signed only with AUTH_TYPE=local.');
    const { SignJWT } = await import('jose');
    const generation = await agentTokenGeneration(this.secrets, infraEnvId);
    return new SignJWT({ infra_env_id: infraEnvId, ...(generation && { generation }) })
      .setExpirationTime(Math.floor(expiresAtMs / 1_000))
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .sign(this.keys.privateKey);
  }
}

/** Claims of a verified token. */
export type TokenClaims = { readonly [claim: string]: unknown };

/** Returns the one infra-env or cluster that the claims name; undefined when they name none. */
export function readScope({ infra_env_id: infraEnvId, cluster_id: clusterId }: TokenClaims): TokenScope | undefined {
  if (typeof infraEnvId === 'string' && UUID_PATTERN.test(infraEnvId)) return { infraEnvId: infraEnvId.toLowerCase() };
  if (typeof clusterId === 'string' && UUID_PATTERN.test(clusterId)) return { clusterId: clusterId.toLowerCase() };
  return undefined;
}

/** Whether a verified token was issued after the last revocation of its infra-env's tokens. */
export const isCurrent = async (secrets: Secrets, scope: TokenScope, claims: TokenClaims): Promise<boolean> =>
  !('infraEnvId' in scope) || (await isCurrentGeneration(secrets, scope.infraEnvId, claims['generation']));

/** The tokens of AUTH_TYPE=local. With another type, every token is refused. */
export function createLocalTokens(
  { authType, publicKey, privateKey }: Pick<GatewayConfig, 'authType' | 'publicKey' | 'privateKey'>,
  secrets: Secrets,
): LocalTokens {
  return new LocalTokens(
    authType === 'local' && publicKey && privateKey ? { publicKey, privateKey } : undefined,
    secrets,
  );
}

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

const SCHEMES: readonly AuthScheme[] = ['userAuth', 'agentAuth', 'watcherAuth'];

/**
 * AUTH_TYPE=agent-installer-local: the installation of a cluster by its own hosts. One key signs the tokens. A token
 * names its scheme and gives access to all resources. It expires only if it has `exp`.
 */
export class SiteAuthenticator implements Authenticator {
  /** Without a key every token is refused. */
  constructor(private readonly publicKey: KeyObject | undefined) {}

  async authenticate(scheme: AuthScheme, credential: string): Promise<Caller | undefined> {
    if (!this.publicKey || !SCHEMES.includes(scheme)) return undefined;
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
