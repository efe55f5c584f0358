/** What a person gives for one host and nobody may read: sealed in the scope of the host's infra-env. */
export type HostSecret = 'ignition-endpoint-token' | 'ignition-endpoint-http-headers' | 'fencing-credentials';

/** Name of the sealed value: a token, a JSON object of header to value, credentials as the contract writes them. */
export const hostSecretName = (hostId: string, secret: HostSecret): string => `host-${hostId}-${secret}`;
