import { createHash } from 'node:crypto';
import { AGENT_REQUEST_VERBS, agentSubject } from '@muster/contracts';
import { credsAuthenticator } from 'nats';
import { createAccount, createOperator, createUser, fromPublic, fromSeed, type KeyPair } from 'nkeys.js';
import { useOpenSslForNkeys } from './ed25519';

useOpenSslForNkeys();

/** The claims of a NATS JWT: its subject and its permissions. */
export interface NatsClaims {
  readonly type: 'operator' | 'account' | 'user';
  readonly [claim: string]: unknown;
}

export interface NatsJwtOptions {
  readonly issuer: KeyPair;
  /** Public key of the subject. */
  readonly subject: string;
  readonly name: string;
  readonly issuedAtMs: number;
  /** @default no expiry */
  readonly expiresAtMs?: number;
  readonly claims: NatsClaims;
}

const HEADER = { typ: 'JWT', alg: 'ed25519-nkey' };
const CLAIMS_VERSION = 2;

/** Returns a token in the format of nats-server: a JWT signed with an nkey, with its claims under `nats`. */
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

/** The two keys that sign all permissions on NATS. Plain text for a file of mode 0600. Secret. */
export interface NatsTrust {
  /** Signs accounts. nats-server has its public key. */
  readonly operatorSeed: string;
  /** Signs the credentials of services and agents. */
  readonly accountSeed: string;
}

export const createNatsTrust = (): NatsTrust => ({
  operatorSeed: toText(createOperator().getSeed()),
  accountSeed: toText(createAccount().getSeed()),
});

export const operatorKey = (trust: NatsTrust): KeyPair => fromSeed(new TextEncoder().encode(trust.operatorSeed));
export const accountKey = (trust: NatsTrust): KeyPair => fromSeed(new TextEncoder().encode(trust.accountSeed));

/** Returns the seed of an nkey as text. The library returns it as bytes. */
export const toText = (seed: Uint8Array): string => new TextDecoder().decode(seed);

const WITHOUT_LIMIT = -1;
/** Maximum subscriptions of one host: its wake-ups, its inbox, and a reserve. */
const HOST_SUBSCRIPTIONS_MAX = 8;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A NATS user key that an agent creates for itself. */
export interface HostKeyPair {
  /** Starts with U. */
  readonly publicKey: string;
  /** A secret that stays on the host. */
  readonly seed: string;
}

export const createHostKey = (): HostKeyPair => {
  const user = createUser();
  return { publicKey: user.getPublicKey(), seed: toText(user.getSeed()) };
};

export interface HostCredentials {
  /** NATS user JWT. It can be used only with the seed of the host's key. */
  readonly jwt: string;
  /** Prefix of the only inbox that the host may subscribe to. */
  readonly inboxPrefix: string;
  /** ISO 8601 UTC. At this time, the server closes the connection. */
  readonly expiresAt: string;
}

/**
 * Returns credentials with all permissions, for a service of Muster: the text of a credentials file. They are secret
 * and do not expire.
 */
export const mintServiceCredentials = (
  trust: NatsTrust,
  options: { readonly name: string; readonly nowMs: number },
): string => {
  const user = createUser();
  const rights = { pub: {}, sub: {}, subs: WITHOUT_LIMIT };
  const jwt = mintJwt(trust, user.getPublicKey(), options.name, options.nowMs, undefined, rights);
  return [
    '-----BEGIN NATS USER JWT-----',
    jwt,
    '------END NATS USER JWT------',
    '',
    '-----BEGIN USER NKEY SEED-----',
    toText(user.getSeed()),
    '------END USER NKEY SEED------',
    '',
  ].join('\n');
};

/** Whether a connection can use the text of a credentials file: it has a user's JWT, and a seed that signs. */
export const isNatsCredentials = (text: string): boolean => {
  try {
    return Boolean(credsAuthenticator(new TextEncoder().encode(text))('nonce'));
  } catch {
    return false;
  }
};

/**
 * Returns credentials for the agent of one host. It may publish the request verbs of the host, and subscribe to the
 * wake-ups of the host and to its own inbox. Every other subject is denied, including those of other hosts of the
 * infra-env.
 * @throws Error when an id is not a lower-case UUID or the key is not a NATS user key
 */
export const mintHostCredentials = (
  trust: NatsTrust,
  options: {
    readonly infraEnvId: string;
    readonly hostId: string;
    readonly publicKey: string;
    readonly nowMs: number;
    readonly lifetimeMs: number;
  },
): HostCredentials => {
  const { infraEnvId, hostId, publicKey, nowMs, lifetimeMs } = options;
  // The ids become part of permissions. A wildcard in an id would permit other hosts.
  for (const id of [infraEnvId, hostId])
    if (!UUID.test(id)) throw new Error(`Bus credentials need a UUID in lower case, not ${JSON.stringify(id)}.`);
  if (!isUserKey(publicKey)) throw new Error('Bus credentials need the public key of a NATS user.');
  const inboxPrefix = `_INBOX.${infraEnvId}.${hostId}`;
  const expiresAtMs = nowMs + lifetimeMs;
  const rights = {
    pub: { allow: AGENT_REQUEST_VERBS.map((verb) => agentSubject(infraEnvId, hostId, verb)) },
    sub: { allow: [agentSubject(infraEnvId, hostId, 'nudge'), `${inboxPrefix}.>`] },
    subs: HOST_SUBSCRIPTIONS_MAX,
  };
  const jwt = mintJwt(trust, publicKey, `host ${infraEnvId}.${hostId}`, nowMs, expiresAtMs, rights);
  return { jwt, inboxPrefix, expiresAt: new Date(expiresAtMs).toISOString() };
};

function isUserKey(publicKey: string): boolean {
  try {
    return publicKey.startsWith('U') && fromPublic(publicKey).getPublicKey() === publicKey;
  } catch {
    return false;
  }
}

const mintJwt = (
  trust: NatsTrust,
  subject: string,
  name: string,
  issuedAtMs: number,
  expiresAtMs: number | undefined,
  rights: { readonly pub: object; readonly sub: object; readonly subs: number },
): string =>
  signNatsJwt({
    issuer: accountKey(trust),
    subject,
    name,
    issuedAtMs,
    expiresAtMs,
    claims: { type: 'user', ...rights, data: WITHOUT_LIMIT, payload: WITHOUT_LIMIT },
  });
