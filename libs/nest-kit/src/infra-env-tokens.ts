import { randomBytes } from 'node:crypto';
import { KeyedQueue, type Secrets } from '@muster/ports';

/** In the scope of an infra-env: the key that signs its image URLs. */
const IMAGE_TOKEN_KEY = 'image-token-key';
/** In the scope of the ignition service: the key that signs agent tokens when no key pair is configured. */
const SERVICE_SCOPE = 'service-ignition';
const AGENT_TOKEN_KEY = 'infra-env-token-key';
/** In the scope of the gateway: the key that signs the URLs of downloads. */
const GATEWAY_SCOPE = 'service-gateway';
const DOWNLOAD_TOKEN_KEY = 'download-token-key';
/** In the scope of an infra-env: the generation of its agent tokens. Absent until the first revocation. */
const AGENT_TOKEN_GENERATION = 'agent-token-generation';
const KEY_BYTES = 32;
const GENERATION_BYTES = 12;
const ALGORITHM = 'HS256';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Creates a token for the image of one infra-env. It is valid until it expires or the signing key of the infra-env is
 * replaced.
 */
export async function signImageToken(secrets: Secrets, infraEnvId: string, expiresAtMs: number): Promise<string> {
  const { SignJWT } = await import('jose');
  return new SignJWT({})
    .setSubject(infraEnvId)
    .setExpirationTime(Math.floor(expiresAtMs / 1_000))
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .sign(await keyOf(secrets, infraEnvId, IMAGE_TOKEN_KEY));
}

/**
 * Returns the infra-env id of a valid token. Undefined when the token is not valid at that time.
 * @throws when the key of the infra-env cannot be read
 */
export async function verifyImageToken(secrets: Secrets, token: string, nowMs: number): Promise<string | undefined> {
  const { jwtVerify } = await import('jose');
  const infraEnvId = await subjectOf(token);
  const key = UUID.test(infraEnvId) ? await secrets.open(infraEnvId, IMAGE_TOKEN_KEY) : undefined;
  if (!key) return undefined;
  const required = { algorithms: [ALGORITHM], currentDate: new Date(nowMs), requiredClaims: ['exp'] };
  return jwtVerify(token, key, required).then(
    () => infraEnvId,
    () => undefined,
  );
}

/** Returns the subject of a token that is not verified yet, in lower case; empty when the token cannot be read. */
async function subjectOf(token: string): Promise<string> {
  const { decodeJwt } = await import('jose');
  try {
    return String(decodeJwt(token).sub ?? '').toLowerCase();
  } catch {
    return '';
  }
}

/** Revokes every image URL and agent token of the infra-env that was issued before. */
export async function revokeInfraEnvTokens(secrets: Secrets, infraEnvId: string): Promise<void> {
  await secrets.seal(infraEnvId, AGENT_TOKEN_GENERATION, randomBytes(GENERATION_BYTES));
  await secrets.seal(infraEnvId, IMAGE_TOKEN_KEY, randomBytes(KEY_BYTES));
}

/**
 * Returns the value of the claim `generation` in valid agent tokens of the infra-env. Empty before the first
 * revocation.
 */
export async function agentTokenGeneration(secrets: Secrets, infraEnvId: string): Promise<string> {
  return (await secrets.open(infraEnvId, AGENT_TOKEN_GENERATION))?.toString('base64url') ?? '';
}

/**
 * Returns whether a verified agent token was issued after the last revocation. Tokens without the claim belong to the
 * first generation.
 */
export async function isCurrentGeneration(secrets: Secrets, infraEnvId: string, generation: unknown): Promise<boolean> {
  return (generation ?? '') === (await agentTokenGeneration(secrets, infraEnvId));
}

/** Returns the key that signs agent tokens when no key pair is configured. The first call creates it. */
export const agentTokenKey = (secrets: Secrets): Promise<Buffer> => keyOf(secrets, SERVICE_SCOPE, AGENT_TOKEN_KEY);

/** Returns the key that signs the URLs of downloads. The first call creates it. */
export const downloadTokenKey = (secrets: Secrets): Promise<Buffer> =>
  keyOf(secrets, GATEWAY_SCOPE, DOWNLOAD_TOKEN_KEY);

/** Creations of keys in this process. A key that another request replaces would make the tokens invalid that it has signed. */
const creations = new KeyedQueue();

async function keyOf(secrets: Secrets, scope: string, name: string): Promise<Buffer> {
  const known = await secrets.open(scope, name);
  if (known?.length) return known;
  const created = await creations.run(`${scope}/${name}`, async () => {
    const before = await secrets.open(scope, name);
    if (before?.length) return before;
    // Another process may have created the key meanwhile, and signed with it.
    await secrets.seal(scope, name, randomBytes(KEY_BYTES), { keepsOlder: before === undefined });
    return secrets.open(scope, name);
  });
  return created ?? keyOf(secrets, scope, name);
}
