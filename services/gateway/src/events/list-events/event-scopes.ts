import { Inject, Injectable } from '@nestjs/common';
import { COLLECTIONS, type ListEventsQuery } from '@muster/assisted-api';
import { hostKeyOf } from '@muster/contracts';
import { type Platform, PLATFORM } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import type { Caller } from '../../auth/caller';
import { hostIdsOf } from './event-selection';

/** A token of one infra-env or cluster shows the events of that one, and must be asked for them by name. */
@Injectable()
export class EventScopes {
  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  /** Throws RefusalError `not-found` when the query reaches further than the caller's token. */
  async check(caller: Caller | undefined, query: ListEventsQuery): Promise<void> {
    const scope = caller?.scope;
    if (!scope) return;
    const covered =
      'clusterId' in scope
        ? query.cluster_id?.toLowerCase() === scope.clusterId
        : query.cluster_id === undefined && (await this.isOfInfraEnv(scope.infraEnvId, query));
    if (!covered) {
      const reason = 'There are no events here that this token may see; ask for those of its own infra-env or cluster.';
      throw new RefusalError({ code: 'not-found', reason });
    }
  }

  private async isOfInfraEnv(infraEnvId: string, query: ListEventsQuery): Promise<boolean> {
    const hostIds = hostIdsOf(query);
    // Host conditions win over an infra-env, so the hosts have to be its own.
    if (hostIds.length === 0) return query.infra_env_id?.toLowerCase() === infraEnvId;
    for (const hostId of hostIds) {
      if (!(await this.platform.readModels.get(COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId)))) return false;
    }
    return true;
  }
}
