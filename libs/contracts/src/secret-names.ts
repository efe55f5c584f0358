/** The pull secret, sealed in the scope of its cluster or infra-env. */
export const PULL_SECRET = 'pull-secret';

/** The token of the agents of an infra-env, sealed in its scope. */
export const AGENT_TOKEN = 'agent-token';

/** Secrets of one host, sealed in the scope of its infra-env and never returned. */
export type HostSecret = 'ignition-endpoint-token' | 'ignition-endpoint-http-headers' | 'fencing-credentials';

/** Name of the sealed value: a token, a JSON object of header to value, credentials as the contract writes them. */
export const hostSecretName = (hostId: string, secret: HostSecret): string => `host-${hostId}-${secret}`;

/** A document of a user, sealed in the scope of its cluster or infra-env. `digest`: of its text, as events name it. */
export const documentSecretName = (digest: string): string => `documents/${digest}`;
