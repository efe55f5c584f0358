import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { agentTokenGeneration, agentTokenKey } from '@muster/nest-kit';
import type { Clock, Secrets } from '@muster/ports';
import { AGENT_TOKEN } from '@muster/contracts';
import { createJsonReader } from '@muster/schema';
import { type Static, Type } from '@sinclair/typebox';

/** Returns the token of the agents of an infra-env. It stays the same until it is renewed. */
export type InfraEnvTokens = (infraEnvId: string) => Promise<string>;

export interface TokenSigner {
  readonly algorithm: 'ES256' | 'HS256';
  readonly key: KeyObject | Uint8Array;
  /** Identifies a key without revealing it. */
  readonly keyDigest: string;
}

const SEALED_TOKEN = Type.Object({
  token: Type.String(),
  /** The key that signed the token: a token of another key is not used. */
  keyDigest: Type.String(),
  generation: Type.String(),
  expiresAtMs: Type.Number(),
});
type SealedToken = Static<typeof SEALED_TOKEN>;
const readSealedToken = createJsonReader(SEALED_TOKEN, { name: 'the sealed agent token' });

/**
 * A token is replaced when less than this share of its lifetime is left, so that new images are valid for long enough.
 */
const RENEWED_AT_SHARE = 1 / 2;

/**
 * Tokens that name the infra-env and expire. Two signatures are never equal, so the first token is sealed and reused:
 * an image must have the same bytes in every download.
 */
export function signedTokens(
  { secrets, clock }: { readonly secrets: Secrets; readonly clock: Clock },
  signerOf: () => Promise<TokenSigner>,
  lifetimeMs: number,
): InfraEnvTokens {
  return async (infraEnvId) => {
    const { algorithm, key, keyDigest } = await signerOf();
    const sealed = await secrets.open(infraEnvId, AGENT_TOKEN);
    const known = sealed && readSealedToken(sealed.toString());
    const generation = await agentTokenGeneration(secrets, infraEnvId);
    const nowMs = clock.nowMs();
    const isIssuedSo = known?.keyDigest === keyDigest && known.generation === generation;
    if (isIssuedSo && known.expiresAtMs - nowMs > lifetimeMs * RENEWED_AT_SHARE) return known.token;
    const { SignJWT } = await import('jose');
    const expiresAtMs = nowMs + lifetimeMs;
    const token = await new SignJWT({ infra_env_id: infraEnvId, ...(generation && { generation }) })
      .setExpirationTime(Math.floor(expiresAtMs / 1_000))
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .sign(key);
    const kept: SealedToken = { token, keyDigest, generation, expiresAtMs };
    await secrets.seal(infraEnvId, AGENT_TOKEN, Buffer.from(JSON.stringify(kept)));
    return token;
  };
}

/** Signs with the key pair that the gateway uses for verification. */
export function keyPairSigner(key: KeyObject): () => Promise<TokenSigner> {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const signer: TokenSigner = { algorithm: 'ES256', key, keyDigest: digestOf(publicKey) };
  return () => Promise.resolve(signer);
}

/** Signs with a key that all services of this installation share. It is created at the first use. */
export function ownKeySigner(secrets: Secrets): () => Promise<TokenSigner> {
  let signer: Promise<TokenSigner> | undefined;
  const make = async (): Promise<TokenSigner> => {
    const key = await agentTokenKey(secrets);
    return { algorithm: 'HS256', key, keyDigest: digestOf(key) };
  };
  return () => {
    signer ??= make().catch((error: unknown) => {
      signer = undefined;
      throw error;
    });
    return signer;
  };
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
