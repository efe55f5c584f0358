import { timingSafeEqual } from 'node:crypto';
import { PULL_SECRET } from '@muster/contracts';
import { agentTokenKey, type Platform, verifyImageToken } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { parseJson, textAt } from '@muster/schema';
import type { JWTPayload, JWTVerifyGetKey } from 'jose' with { 'resolution-mode': 'import' };
import type { OidcSettings } from '../config';
import {
  agentOf,
  type Authenticator,
  type AuthScheme,
  bearerToken,
  type Caller,
  type PathIds,
  type Role,
} from './caller';
import { isCurrent, readScope } from './local.authenticator';
import type { TokenScopes } from './ownership';

/** Asymmetric signatures only. `none` and symmetric algorithms are refused. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA'];
const CLOCK_TOLERANCE_SECONDS = 60;
const KEYS_KEPT_MS = 10 * 60_000;
const KEYS_REFETCH_INTERVAL_MS = 30_000;
const KEYS_TIMEOUT_MS = 5_000;
/** Codes of errors that concern the keys of the issuer, not the token. The first means that a proxy or the issuer answered without keys. */
const KEYS_FAILURES = ['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT'];
/** Entry of a pull secret with which agents of assisted-service v2 authenticate. */
const TOKEN_ENTRY = 'cloud.openshift.com';
const CONTROL_CHARACTER = /\p{Cc}/u;
/** Names of this form are the actors of hosts and services in events. */
const NOT_OF_A_USER = /^(?:agent|service):/i;

/**
 * AUTH_TYPE=oidc: users authenticate with tokens of an issuer, agents with the token or the pull secret of their
 * infra-env, and image downloads with signed URLs.
 */
export class OidcAuthenticator implements Authenticator {
  private keys: Promise<JWTVerifyGetKey> | undefined;

  constructor(
    private readonly settings: OidcSettings,
    private readonly platform: Pick<Platform, 'secrets' | 'clock'>,
    private readonly scopes: TokenScopes,
  ) {}

  async authenticate(scheme: AuthScheme, credential: string, path: PathIds): Promise<Caller | undefined> {
    switch (scheme) {
      case 'userAuth':
        return this.user(credential);
      case 'agentAuth':
        return (await this.agent(credential)) ?? this.bearerOfPullSecret(credential, path);
      case 'imageAuth':
      case 'imageURLAuth':
        return this.image(credential, path);
      // In this mode, download URLs carry image tokens, which the schemes above check.
      case 'urlAuth':
      case 'watcherAuth':
        return undefined;
      default:
        return scheme satisfies never;
    }
  }

  private async user(credential: string): Promise<Caller | undefined> {
    const token = bearerToken(credential);
    if (token === undefined) return undefined;
    const payload = await this.claimsOf(token);
    return payload && this.callerOf(payload);
  }

  /** Returns undefined for a token that is not valid. */
  private async claimsOf(token: string): Promise<JWTPayload | undefined> {
    const { errors, jwtVerify } = await import('jose');
    try {
      const { payload } = await jwtVerify(token, await this.keySet(), {
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ['exp'],
        ...(this.settings.issuer && { issuer: this.settings.issuer }),
        ...(this.settings.audience && { audience: this.settings.audience }),
      });
      return payload;
    } catch (error) {
      if (!(error instanceof errors.JOSEError) || KEYS_FAILURES.includes(error.code)) throw unreachable();
      return undefined;
    }
  }

  private callerOf(payload: JWTPayload): Caller | undefined {
    const user = textAt(payload, 'username') || textAt(payload, 'preferred_username');
    if (!user) return undefined;
    const org = textAt(payload, 'org_id') || (textAt(payload, 'organization', 'id') ?? '');
    // Names are sent in message headers, and a header ends at a line break.
    if (CONTROL_CHARACTER.test(user + org))
      throw new RefusalError({
        code: 'unauthorized',
        reason: 'The user name or the organisation in the token contains a control character.',
      });
    if (NOT_OF_A_USER.test(user))
      throw new RefusalError({
        code: 'unauthorized',
        reason:
          'The user name in the token begins with agent: or service:, as the names of hosts and services in events. Rename the user at the issuer.',
      });
    return { kind: 'user', user, org, role: this.roleOf(user) };
  }

  private roleOf(user: string): Role {
    if (this.settings.adminUsers.includes(user)) return 'admin';
    return this.settings.readOnlyAdminUsers.includes(user) ? 'read-only-admin' : 'user';
  }

  /** Loads the keys once, and again when a token names a key that is not among them. */
  private async keySet(): Promise<JWTVerifyGetKey> {
    this.keys ??= this.loadKeys().catch((error: unknown) => {
      this.keys = undefined;
      throw error;
    });
    return this.keys;
  }

  private async loadKeys(): Promise<JWTVerifyGetKey> {
    const { createLocalJWKSet, createRemoteJWKSet } = await import('jose');
    const { jwks, jwksUrl, issuer } = this.settings;
    if (jwks) return createLocalJWKSet(jwks);
    return createRemoteJWKSet(new URL(jwksUrl || (await discoverKeys(issuer))), {
      cacheMaxAge: KEYS_KEPT_MS,
      cooldownDuration: KEYS_REFETCH_INTERVAL_MS,
      timeoutDuration: KEYS_TIMEOUT_MS,
    });
  }

  private async agent(credential: string): Promise<Caller | undefined> {
    const { jwtVerify } = await import('jose');
    const key = await agentTokenKey(this.platform.secrets);
    const currentDate = new Date(this.platform.clock.nowMs());
    const required = { algorithms: ['HS256'], currentDate, requiredClaims: ['exp'] };
    const verified = await jwtVerify(credential, key, required).catch(() => undefined);
    const scope = verified && readScope(verified.payload);
    if (!scope || !(await isCurrent(this.platform.secrets, scope, verified.payload))) return undefined;
    return (await this.scopes.exists(scope)) ? agentOf(scope) : undefined;
  }

  /**
   * Agents of assisted-service v2 send the entry of their pull secret. It gives access to the infra-env or cluster with
   * that pull secret.
   */
  private async bearerOfPullSecret(credential: string, path: PathIds): Promise<Caller | undefined> {
    for (const id of [path.infraEnvId, path.clusterId]) {
      const sealed = id === undefined ? undefined : await this.platform.secrets.open(id, PULL_SECRET);
      if (!sealed || !isSame(credential, tokenIn(sealed.toString()))) continue;
      const scope = id === path.infraEnvId ? { infraEnvId: id ?? '' } : { clusterId: id ?? '' };
      return (await this.scopes.exists(scope)) ? agentOf(scope) : undefined;
    }
    return undefined;
  }

  private async image(credential: string, { infraEnvId }: PathIds): Promise<Caller | undefined> {
    const named = await verifyImageToken(this.platform.secrets, credential, this.platform.clock.nowMs());
    if (named === undefined) return undefined;
    if (named === infraEnvId) return agentOf({ infraEnvId: named });
    throw new RefusalError({
      code: 'forbidden',
      reason: 'This image token is for another infra-env.',
      subject: 'image_token',
    });
  }
}

const tokenIn = (pullSecret: string): string => textAt(parseJson(pullSecret), 'auths', TOKEN_ENTRY, 'auth') ?? '';

function isSame(given: string, wanted: string): boolean {
  const [first, second] = [Buffer.from(given), Buffer.from(wanted)];
  return wanted !== '' && first.length === second.length && timingSafeEqual(first, second);
}

/** Returns the URL of the issuer's keys from its discovery document. */
async function discoverKeys(issuer: string): Promise<string> {
  const answer = await fetch(`${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(KEYS_TIMEOUT_MS),
  });
  const uri = textAt(await answer.json(), 'jwks_uri');
  if (uri === undefined) throw new Error(`The OIDC discovery document of ${issuer} has no jwks_uri.`);
  return uri;
}

const unreachable = (): RefusalError =>
  new RefusalError({ code: 'busy', reason: 'The keys of the token issuer are unavailable. Retry later.' });
