/** Secrets of one host, sealed in the scope of its infra-env and never returned. */
export type HostSecret = 'ignition-endpoint-token' | 'ignition-endpoint-http-headers' | 'fencing-credentials';

/** Name of the sealed value: a token, a JSON object of header to value, credentials as the contract writes them. */
export const hostSecretName = (hostId: string, secret: HostSecret): string => `host-${hostId}-${secret}`;
