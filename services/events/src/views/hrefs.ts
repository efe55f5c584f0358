const API = '/api/assisted-install/v2';

/** Self links of the contract. */
export const clusterHref = (clusterId: string): string => `${API}/clusters/${clusterId}`;
export const infraEnvHref = (infraEnvId: string): string => `${API}/infra-envs/${infraEnvId}`;
export const hostHref = (infraEnvId: string, hostId: string): string => `${infraEnvHref(infraEnvId)}/hosts/${hostId}`;
