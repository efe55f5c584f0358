import { createHash } from 'node:crypto';
import type { KeyPair } from 'nkeys.js';

/** The part of a NATS JWT that says what its subject is and may do. */
export interface NatsClaims {
  readonly type: 'operator' | 'account' | 'user';
  readonly [claim: string]: unknown;
}

export interface NatsJwtOptions {
  readonly issuer: KeyPair;
  /** Public key of the one the token is about. */
  readonly subject: string;
  readonly name: string;
  readonly issuedAtMs: number;
  /** Default: never. */
  readonly expiresAtMs?: number;
  readonly claims: NatsClaims;
}

const HEADER = { typ: 'JWT', alg: 'ed25519-nkey' };
const CLAIMS_VERSION = 2;

/** A token as nats-server reads it: a JWT signed with an nkey, with what is granted under `nats`. */
export const signNatsJwt = (options: NatsJwtOptions): string => {
  const unidentified = {
    iat: toSeconds(options.issuedAtMs),
    iss: options.issuer.getPublicKey(),
    name: options.name,
    sub: options.subject,
    ...(options.expiresAtMs === undefined ? {} : { exp: toSeconds(options.expiresAtMs) }),
    nats: { ...options.claims, version: CLAIMS_VERSION },
  };
  const payload = { jti: createHash('sha256').update(JSON.stringify(unidentified)).digest('hex'), ...unidentified };
  const signed = `${encode(HEADER)}.${encode(payload)}`;
  const signature = options.issuer.sign(new TextEncoder().encode(signed));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
};

const toSeconds = (ms: number): number => Math.floor(ms / 1000);
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
