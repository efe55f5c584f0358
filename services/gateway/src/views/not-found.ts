import { RefusalError } from '@muster/problems';

export const noCluster = (clusterId: string): RefusalError =>
  new RefusalError({
    code: 'not-found',
    reason: `There is no cluster ${clusterId}; list the clusters to see which there are.`,
  });

export const noInfraEnv = (infraEnvId: string): RefusalError =>
  new RefusalError({
    code: 'not-found',
    reason: `There is no infra-env ${infraEnvId}; list the infra-envs to see which there are.`,
  });

export const noHost = (infraEnvId: string, hostId: string): RefusalError =>
  new RefusalError({
    code: 'not-found',
    reason: `Infra-env ${infraEnvId} has no host ${hostId}; list its hosts to see which there are.`,
  });
