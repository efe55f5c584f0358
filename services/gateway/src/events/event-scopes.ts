import { Inject, Injectable } from '@nestjs/common';
import { COLLECTIONS, type ListEventsQuery } from '@muster/assisted-api';
import { hostKeyOf } from '@muster/contracts';
import { READ_MODELS } from '@muster/nest-kit';
import type { ReadModels } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import type { Caller } from '../auth/caller';
import { Ownership } from '../auth/ownership';
import { hostIdsOf } from './event-selection';

/** A machine may be a host of several infra-envs. */
const SAME_IDS_MAX = 100;

/** A token of one infra-env or cluster shows the events of that one, and must be asked for them by name. */
@Injectable()
export class EventScopes {
  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    private readonly ownership: Ownership,
  ) {}

  /** People who do not see everything are shown nothing unless they say of what they want the events. */
  hasNothingToShow(caller: Caller | undefined, query: ListEventsQuery): boolean {
    return caller !== undefined && !caller.scope && caller.role === 'user' && !isOfSomething(query);
  }

  /** Throws RefusalError `not-found` when the query reaches further than the caller's token. */
  async check(caller: Caller | undefined, query: ListEventsQuery): Promise<void> {
    if (!caller) return;
    const { scope } = caller;
    if (!scope) return this.checkOwnership(caller, query);
    const covered =
      'clusterId' in scope
        ? query.cluster_id?.toLowerCase() === scope.clusterId
        : query.cluster_id === undefined && (await this.isOfInfraEnv(scope.infraEnvId, query));
    if (!covered) {
      const reason = 'There are no events here that this token may see; ask for those of its own infra-env or cluster.';
      throw new RefusalError({ code: 'not-found', reason });
    }
  }

  private async checkOwnership(caller: Caller, query: ListEventsQuery): Promise<void> {
    if (caller.role !== 'user') return;
    const clusterId = query.cluster_id?.toLowerCase();
    const infraEnvId = query.infra_env_id?.toLowerCase();
    const hostIds = hostIdsOf(query);
    await this.ownership.requireVisible(caller, { clusterId, infraEnvId });
    for (const hostId of hostIds) {
      const where = { id: hostId };
      const hosts = await this.readModels.find({ collection: COLLECTIONS.hosts, where, limit: SAME_IDS_MAX });
      if (hosts.length === 0)
        throw new RefusalError({ code: 'not-found', reason: 'Host not found, or you do not have access to it.' });
      for (const { document } of hosts)
        await this.ownership.requireVisible(caller, { hostId, infraEnvId: document.infra_env_id });
    }
  }

  private async isOfInfraEnv(infraEnvId: string, query: ListEventsQuery): Promise<boolean> {
    const hostIds = hostIdsOf(query);
    // Host conditions win over an infra-env, so the hosts have to be its own.
    if (hostIds.length === 0) return query.infra_env_id?.toLowerCase() === infraEnvId;
    for (const hostId of hostIds) {
      if (!(await this.readModels.get(COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId)))) return false;
    }
    return true;
  }
}

const isOfSomething = (query: ListEventsQuery): boolean =>
  Boolean(query.cluster_id) || Boolean(query.infra_env_id) || hostIdsOf(query).length > 0;
