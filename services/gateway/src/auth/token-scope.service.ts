import { Inject, Injectable } from '@nestjs/common';
import { COLLECTIONS } from '@muster/assisted-api';
import { READ_MODELS } from '@muster/nest-kit';
import type { ReadModels } from '@muster/ports';
import type { TokenScope } from './caller';
import type { NamedIds } from './named-ids';

/** Most infra-envs in which one machine is looked up. */
export const SAME_IDS_MAX = 100;

/** Which resources the token of an infra-env or a cluster gives access to. */
@Injectable()
export class TokenScopes {
  constructor(@Inject(READ_MODELS) private readonly readModels: ReadModels) {}

  /** A token of a deleted resource gives access to nothing. */
  async exists(scope: TokenScope): Promise<boolean> {
    const [collection, id] =
      'infraEnvId' in scope ? [COLLECTIONS.infraEnvs, scope.infraEnvId] : [COLLECTIONS.clusters, scope.clusterId];
    return (await this.readModels.get(collection, id)) !== undefined;
  }

  /** Whether every one of the named resources belongs to the scope. Hosts that do not exist belong to any scope. */
  async covers(scope: TokenScope, ids: NamedIds): Promise<boolean> {
    const { infraEnvId, clusterId } = ids;
    if ('infraEnvId' in scope) {
      if (infraEnvId && infraEnvId !== scope.infraEnvId) return false;
      if (clusterId && !(await this.feeds(scope.infraEnvId, clusterId))) return false;
    } else {
      if (clusterId && clusterId !== scope.clusterId) return false;
      if (infraEnvId && !(await this.feeds(infraEnvId, scope.clusterId))) return false;
    }
    for (const hostId of ids.hostIds) if (!(await this.coversHost(scope, infraEnvId, hostId))) return false;
    return true;
  }

  /** Machines may have the same id in several infra-envs: without an infra-env, one of them has to be in the scope. */
  private async coversHost(scope: TokenScope, infraEnvId: string | undefined, hostId: string): Promise<boolean> {
    const where = { id: hostId, ...(infraEnvId && { infra_env_id: infraEnvId }) };
    const found = await this.readModels.find({ collection: COLLECTIONS.hosts, where, limit: SAME_IDS_MAX });
    if (found.length === 0) return true;
    return found.some(({ document }) =>
      'infraEnvId' in scope
        ? document.infra_env_id === scope.infraEnvId
        : !document.cluster_id || document.cluster_id === scope.clusterId,
    );
  }

  /** True when hosts of the infra-env are, or will be, hosts of the cluster. */
  private async feeds(infraEnvId: string, clusterId: string): Promise<boolean> {
    const infraEnv = await this.readModels.get(COLLECTIONS.infraEnvs, infraEnvId);
    if (infraEnv?.cluster_id === clusterId) return true;
    const where = { infra_env_id: infraEnvId, cluster_id: clusterId };
    return (await this.readModels.find({ collection: COLLECTIONS.hosts, where, limit: 1 })).length > 0;
  }
}
