/** Sealed by registration, in the scope of the cluster or infra-env. */
export const PULL_SECRET = 'pull-secret';

/** In the scope of an infra-env. */
export const AGENT_TOKEN = 'agent-token';
export const AGENT_NATS_CREDENTIALS = 'agent-nats-credentials';

/** In the scope of this service. */
export const SERVICE_SCOPE = 'service-ignition';
export const TOKEN_KEY = 'infra-env-token-key';
