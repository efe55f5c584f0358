/** The pull secret, sealed in the scope of its cluster or infra-env. */
export const PULL_SECRET = 'pull-secret';

/** The token of the agents of an infra-env, sealed in its scope. */
export const AGENT_TOKEN = 'agent-token';

/** Secrets of one host, sealed in the scope of its infra-env and never returned. */
export type HostSecret = 'ignition-endpoint-token' | 'ignition-endpoint-http-headers' | 'fencing-credentials';

/**
 * Returns the name of the sealed value of a host: a token, a JSON object of headers, or credentials in the format of
 * the v2 API.
 */
export const hostSecretName = (hostId: string, secret: HostSecret): string => `host-${hostId}-${secret}`;

/**
 * Returns the name of a user's document, sealed in the scope of its cluster or infra-env. `digest` is the digest of its
 * text, which events contain.
 */
export const documentSecretName = (digest: string): string => `documents/${digest}`;
