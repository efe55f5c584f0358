import { Inject, Injectable } from '@nestjs/common';
import { COLLECTIONS } from '@muster/assisted-api';
import { READ_MODELS } from '@muster/nest-kit';
import type { ReadModels } from '@muster/ports';
import type { TokenScope } from './caller';

/** Whether a token's infra-env or cluster is the one, or belongs to the one, that a path names. */
@Injectable()
export class TokenScopes {
  constructor(@Inject(READ_MODELS) private readonly readModels: ReadModels) {}

  /** A token of something that is gone opens nothing. */
  async exists(scope: TokenScope): Promise<boolean> {
    const [collection, id] =
      'infraEnvId' in scope ? [COLLECTIONS.infraEnvs, scope.infraEnvId] : [COLLECTIONS.clusters, scope.clusterId];
    return (await this.readModels.get(collection, id)) !== undefined;
  }

  async covers(
    scope: TokenScope,
    path: { readonly infraEnvId?: string; readonly clusterId?: string },
  ): Promise<boolean> {
    if ('infraEnvId' in scope) {
      if (path.infraEnvId) return path.infraEnvId === scope.infraEnvId;
      return path.clusterId === undefined || (await this.feeds(scope.infraEnvId, path.clusterId));
    }
    if (path.clusterId) return path.clusterId === scope.clusterId;
    return path.infraEnvId === undefined || (await this.feeds(path.infraEnvId, scope.clusterId));
  }

  /** True when hosts of the infra-env are, or will be, hosts of the cluster. */
  private async feeds(infraEnvId: string, clusterId: string): Promise<boolean> {
    const infraEnv = await this.readModels.get(COLLECTIONS.infraEnvs, infraEnvId);
    if (infraEnv?.cluster_id === clusterId) return true;
    const where = { infra_env_id: infraEnvId, cluster_id: clusterId };
    return (await this.readModels.find({ collection: COLLECTIONS.hosts, where, limit: 1 })).length > 0;
  }
}
