import { createHash, createHmac, createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Secrets } from '@muster/ports';
import { AGENT_TOKEN, SERVICE_SCOPE, TOKEN_KEY } from '../streams/secret-names';

const ALGORITHM = 'ES256';
const TOKEN_KEY_BYTES = 32;

/** What the agents of an infra-env identify themselves with; always the same for one infra-env and one key. */
export type InfraEnvTokens = (infraEnvId: string) => Promise<string>;

interface SealedToken {
  readonly token: string;
  /** Which key signed it: with another one it is of no use. */
  readonly keyDigest: string;
}

/**
 * ES256 tokens that name the infra-env, without expiry, as images outlive any. A signature is never the same twice, so
 * the first one is sealed and used from then on: an image has to have the same bytes in every download of it.
 */
export function signedTokens(secrets: Secrets, key: KeyObject): InfraEnvTokens {
  const keyDigest = createHash('sha256')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest('hex');
  return async (infraEnvId) => {
    const sealed = await secrets.open(infraEnvId, AGENT_TOKEN);
    const known = sealed && (JSON.parse(sealed.toString()) as SealedToken);
    if (known?.keyDigest === keyDigest) return known.token;
    const { SignJWT } = await import('jose');
    const token = await new SignJWT({ infra_env_id: infraEnvId })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .sign(key);
    await secrets.seal(
      infraEnvId,
      AGENT_TOKEN,
      Buffer.from(JSON.stringify({ token, keyDigest } satisfies SealedToken)),
    );
    return token;
  };
}

/** Without authentication hosts still carry a token that nobody can guess, for the day it is asked for. */
export function derivedTokens(secrets: Secrets): InfraEnvTokens {
  let key: Promise<Buffer> | undefined;
  const tokenKey = async (): Promise<Buffer> => {
    const known = await secrets.open(SERVICE_SCOPE, TOKEN_KEY);
    if (known) return known;
    await secrets.seal(SERVICE_SCOPE, TOKEN_KEY, randomBytes(TOKEN_KEY_BYTES));
    // Read back: a replica that started at the same moment may have sealed its own after ours.
    return (await secrets.open(SERVICE_SCOPE, TOKEN_KEY)) ?? tokenKey();
  };
  return async (infraEnvId) => {
    key ??= tokenKey().catch((error: unknown) => {
      key = undefined;
      throw error;
    });
    return createHmac('sha256', await key)
      .update(infraEnvId)
      .digest('base64url');
  };
}
