import { allAgentSubjects } from '@muster/contracts';
import { createUser } from 'nkeys.js';
import { signNatsJwt } from './nats-jwt';
import { accountKey, toText, type NatsTrust } from './trust';

const WITHOUT_LIMIT = -1;
/** Subscriptions of one agent connection; it needs its hosts' subjects and one inbox. */
const AGENT_SUBSCRIPTIONS_MAX = 64;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface AgentCredentials {
  /** Text of a credentials file. It is a secret. */
  readonly credentials: string;
  /** The agent must take its answers here. */
  readonly inboxPrefix: string;
  /** ISO 8601 UTC. The server ends the connection then. */
  readonly expiresAt: string;
}

/** Credentials with every right, for a service of Muster. Text of a credentials file; secret. They do not expire. */
export const mintServiceCredentials = (
  trust: NatsTrust,
  options: { readonly name: string; readonly nowMs: number },
): string => mintCredentials(trust, options.name, options.nowMs, undefined, { pub: {}, sub: {}, subs: WITHOUT_LIMIT });

/**
 * Credentials for the agents of one infra-env: they may publish and subscribe under its agent subjects and take
 * answers under their own inbox, and nothing else.
 */
export const mintAgentCredentials = (
  trust: NatsTrust,
  options: { readonly infraEnvId: string; readonly nowMs: number; readonly lifetimeMs: number },
): AgentCredentials => {
  const { infraEnvId, nowMs, lifetimeMs } = options;
  // The id becomes part of a permission: a wildcard in it would open every infra-env.
  if (!UUID.test(infraEnvId)) throw new Error('Agent credentials are for an infra-env id: a UUID in lower case.');
  const own = allAgentSubjects(infraEnvId);
  const inboxPrefix = `_INBOX.${infraEnvId}`;
  const expiresAtMs = nowMs + lifetimeMs;
  const rights = {
    pub: { allow: [own] },
    sub: { allow: [own, `${inboxPrefix}.>`] },
    subs: AGENT_SUBSCRIPTIONS_MAX,
  };
  return {
    credentials: mintCredentials(trust, `agents of ${infraEnvId}`, nowMs, expiresAtMs, rights),
    inboxPrefix,
    expiresAt: new Date(expiresAtMs).toISOString(),
  };
};

const mintCredentials = (
  trust: NatsTrust,
  name: string,
  issuedAtMs: number,
  expiresAtMs: number | undefined,
  rights: { readonly pub: object; readonly sub: object; readonly subs: number },
): string => {
  const user = createUser();
  const jwt = signNatsJwt({
    issuer: accountKey(trust),
    subject: user.getPublicKey(),
    name,
    issuedAtMs,
    expiresAtMs,
    claims: { type: 'user', ...rights, data: WITHOUT_LIMIT, payload: WITHOUT_LIMIT },
  });
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
