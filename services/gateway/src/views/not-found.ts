import { RefusalError } from '@muster/problems';

export const noCluster = (clusterId: string): RefusalError =>
  new RefusalError({
    code: 'not-found',
    reason: `Cluster ${clusterId} was not found. List the clusters to see which exist.`,
  });

export const noInfraEnv = (infraEnvId: string): RefusalError =>
  new RefusalError({
    code: 'not-found',
    reason: `Infra-env ${infraEnvId} was not found. List the infra-envs to see which exist.`,
  });

export const noHost = (infraEnvId: string, hostId: string): RefusalError =>
  new RefusalError({
    code: 'not-found',
    reason: `Host ${hostId} was not found in infra-env ${infraEnvId}. List its hosts to see which exist.`,
  });

export const noHostOfCluster = (clusterId: string, hostId: string): RefusalError =>
  new RefusalError({
    code: 'not-found',
    reason: `Host ${hostId} was not found in cluster ${clusterId}. List its hosts to see which exist.`,
  });
