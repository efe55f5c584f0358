/** Sealed by registration, in the scope of the cluster or infra-env. */
export const PULL_SECRET = 'pull-secret';

/** In the scope of an infra-env. */
export const AGENT_TOKEN = 'agent-token';
