import { Inject, Injectable } from '@nestjs/common';
import { COLLECTIONS, type ListEventsQuery } from '@muster/assisted-api';
import { hostKeyOf } from '@muster/contracts';
import { READ_MODELS } from '@muster/nest-kit';
import type { ReadModels } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import type { Caller } from '../auth/caller';
import { Ownership } from '../auth/ownership';
import { SAME_IDS_MAX } from '../auth/token-scope.service';
import { hostIdsOf } from './event-selection';

/** Restricts the events to what the caller may see. The query has to name the infra-env or cluster of a token. */
@Injectable()
export class EventScopes {
  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    private readonly ownership: Ownership,
  ) {}

  /** Whether the caller gets an empty list: a user without administrator rights has to name a resource. */
  hasNothingToShow(caller: Caller | undefined, query: ListEventsQuery): boolean {
    return caller !== undefined && !caller.scope && caller.role === 'user' && !isOfSomething(query);
  }

  /**
   * The infra-envs whose hosts `host_ids` means for this caller; undefined: all. A machine that changed hands has one host id in
   * the infra-envs of several tenants.
   *
   * @throws RefusalError `not-found` when the query names a resource that the caller may not see.
   */
  async infraEnvsOf(caller: Caller | undefined, query: ListEventsQuery): Promise<readonly string[] | undefined> {
    if (!caller) return undefined;
    const { scope } = caller;
    if (!scope) return this.ownInfraEnvs(caller, query);
    const covered =
      'clusterId' in scope
        ? query.cluster_id?.toLowerCase() === scope.clusterId
        : query.cluster_id === undefined && (await this.isOfInfraEnv(scope.infraEnvId, query));
    if (!covered) {
      const reason = 'This token does not give access to these events. Name its own infra-env or cluster.';
      throw new RefusalError({ code: 'not-found', reason });
    }
    return 'infraEnvId' in scope ? [scope.infraEnvId] : undefined;
  }

  private async ownInfraEnvs(caller: Caller, query: ListEventsQuery): Promise<readonly string[] | undefined> {
    if (caller.role !== 'user') return undefined;
    const clusterId = query.cluster_id?.toLowerCase();
    const infraEnvId = query.infra_env_id?.toLowerCase();
    await this.ownership.requireVisible(caller, { clusterId, infraEnvId });
    const own = new Set<string>();
    for (const hostId of hostIdsOf(query))
      for (const visible of await this.visibleInfraEnvs(caller, hostId)) own.add(visible);
    return [...own];
  }

  /** Infra-envs in which the caller may see a host of that id. */
  private async visibleInfraEnvs(caller: Caller, hostId: string): Promise<readonly string[]> {
    const where = { id: hostId };
    const hosts = await this.readModels.find({ collection: COLLECTIONS.hosts, where, limit: SAME_IDS_MAX });
    const visible: string[] = [];
    for (const { document } of hosts)
      if (await this.sees(caller, hostId, document.infra_env_id)) visible.push(document.infra_env_id);
    if (visible.length === 0)
      throw new RefusalError({ code: 'not-found', reason: 'Host not found, or you do not have access to it.' });
    return visible;
  }

  private async sees(caller: Caller, hostId: string, infraEnvId: string): Promise<boolean> {
    try {
      await this.ownership.requireVisible(caller, { hostId, infraEnvId });
      return true;
    } catch (error) {
      if (error instanceof RefusalError && error.refusal.code === 'not-found') return false;
      throw error;
    }
  }

  private async isOfInfraEnv(infraEnvId: string, query: ListEventsQuery): Promise<boolean> {
    const hostIds = hostIdsOf(query);
    // The hosts have to belong to the infra-env of the token.
    if (hostIds.length === 0) return query.infra_env_id?.toLowerCase() === infraEnvId;
    for (const hostId of hostIds) {
      if (!(await this.readModels.get(COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId)))) return false;
    }
    return true;
  }
}

const isOfSomething = (query: ListEventsQuery): boolean =>
  Boolean(query.cluster_id) || Boolean(query.infra_env_id) || hostIdsOf(query).length > 0;
