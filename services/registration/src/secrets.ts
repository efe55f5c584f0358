/** Name of the sealed pull secret in the scope of its cluster or infra-env. */
export const PULL_SECRET = 'pull-secret';

export const NO_OWNER = { userName: '', orgId: '', emailDomain: '' };
