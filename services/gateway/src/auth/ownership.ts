import { COLLECTIONS, UUID_PATTERN } from '@muster/assisted-api';
import { hostKeyOf, PULL_SECRET } from '@muster/contracts';
import { READ_MODELS, SECRETS } from '@muster/nest-kit';
import type { Collection, ReadModels, Secrets } from '@muster/ports';
import { type Refusal, RefusalError } from '@muster/problems';
import { type Members, objectAt } from '@muster/schema';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { SchemaViolation } from '../http/request.pipes';
import { isUnreadable } from '../views/documents';
import type { AccessMode, Caller, Owned, PathIds, TokenReach, TokenScope } from './caller';

/** Ids of resources in one part of a request, in lower case. */
export interface NamedIds {
  readonly clusterId?: string;
  readonly infraEnvId?: string;
  /** Hosts of `infraEnvId`, or hosts of any infra-env when it is absent. */
  readonly hostIds: readonly string[];
}

/** Return the ids in the path, the query and the body. A host id belongs to the infra-env beside it, otherwise to that of the path. */
export const idsOfPath = ({ params }: FastifyRequest): NamedIds => namedIds(params);
export const idsOfQuery = ({ query }: FastifyRequest): NamedIds => namedIds(query);

/**
 * The ids in the members of the objects of a body, once each.
 * @throws SchemaViolation for more than `BODY_IDS_MAX` of them
 */
export function idsOfBody(objects: readonly Members[], request: FastifyRequest): readonly NamedIds[] {
  const naming = objects.filter((object) => ID_MEMBERS.some((member) => Object.hasOwn(object, member)));
  if (naming.length === 0) return [];
  const found = new Map<string, NamedIds>();
  let count = 0;
  for (const object of naming) {
    const ids = namedIds(object);
    const key = JSON.stringify(ids);
    if (found.has(key)) continue;
    found.set(key, ids);
    count += 1 + ids.hostIds.length;
    if (count > BODY_IDS_MAX)
      throw new SchemaViolation(`body must not name more than ${BODY_IDS_MAX} clusters, infra-envs and hosts`);
  }
  const { infraEnvId } = idsOfPath(request);
  return [...found.values()].map((ids) => ({ ...ids, infraEnvId: ids.infraEnvId ?? infraEnvId }));
}

const ID_MEMBERS = ['cluster_id', 'infra_env_id', 'host_id', 'host_ids'];
/** Each id is one or more look-ups. */
const BODY_IDS_MAX = 2_048;

function namedIds(part: unknown): NamedIds {
  const fields = objectAt(part);
  return {
    clusterId: lastOf(fields['cluster_id']),
    infraEnvId: lastOf(fields['infra_env_id']),
    hostIds: [...new Set([...textsOf(fields['host_id']), ...textsOf(fields['host_ids'])])],
  };
}

/** The last value of a repeated parameter counts, as in `LastValue`. */
const lastOf = (value: unknown): string | undefined => textsOf(value).at(-1);

const textsOf = (value: unknown): readonly string[] =>
  value === undefined
    ? NO_TEXTS
    : typeof value === 'string'
      ? textsIn(value)
      : [value]
          .flat()
          .filter((item) => typeof item === 'string')
          .flatMap(textsIn);

const textsIn = (list: string): readonly string[] =>
  withinLimit(list)
    .split(',')
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '');

const NO_TEXTS: readonly string[] = [];

/** More than the longest valid list of ids in a query. */
const IDS_MAX_CHARACTERS = 65_536;

/** Longer text is refused before it is split, because splitting 4 MiB of commas takes half a second. */
function withinLimit(text: string): string {
  if (text.length <= IDS_MAX_CHARACTERS) return text;
  throw new SchemaViolation(
    `a list of ids must not have more than ${IDS_MAX_CHARACTERS} characters, not ${text.length}`,
  );
}

/** Maximum number of infra-envs in which one host id is looked up. */
export const SAME_IDS_MAX = 100;

/** Checks whether a resource belongs to the scope of a token (one infra-env or one cluster). */
@Injectable()
export class TokenScopes {
  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    @Inject(SECRETS) private readonly secrets: Pick<Secrets, 'open'>,
  ) {}

  /**
   * Whether the resource of the token exists. A token of a deleted resource gives no access. While the documents cannot be read, the
   * pull secret of the resource decides, which is destroyed with it: a host that cannot poll would count as disconnected.
   */
  async exists(scope: TokenScope): Promise<boolean> {
    const [collection, id] =
      'infraEnvId' in scope ? [COLLECTIONS.infraEnvs, scope.infraEnvId] : [COLLECTIONS.clusters, scope.clusterId];
    try {
      return (await this.readModels.get(collection, id)) !== undefined;
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return (await this.secrets.open(id, PULL_SECRET)) !== undefined;
    }
  }

  /** Whether all given resources belong to the scope with this reach. Hosts that do not exist do so only in an infra-env of the scope. */
  async covers(scope: TokenScope, ids: NamedIds, reach: TokenReach = 'scope'): Promise<boolean> {
    const { infraEnvId, clusterId } = ids;
    if ('infraEnvId' in scope) {
      if (clusterId && !(await this.feeds(scope.infraEnvId, clusterId))) return false;
      // Its hosts are known by their path, so a poll reads no document.
      if (infraEnvId === scope.infraEnvId) return true;
      if (infraEnvId) return reach === 'cluster' && this.coversMembers(scope, infraEnvId, ids.hostIds);
    } else {
      if (clusterId && clusterId !== scope.clusterId) return false;
      if (infraEnvId && !(await this.feeds(infraEnvId, scope.clusterId))) return false;
    }
    for (const hostId of ids.hostIds) if (!(await this.coversHost(scope, infraEnvId, hostId))) return false;
    return true;
  }

  /** Whether each of these hosts of another infra-env is in a cluster with a host of the scope. */
  private async coversMembers(scope: TokenScope, infraEnvId: string, hostIds: readonly string[]): Promise<boolean> {
    for (const hostId of hostIds) {
      const host = await this.readModels.get(COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId));
      if (!host?.cluster_id || !(await this.hasHostIn(scope, host.cluster_id))) return false;
    }
    return hostIds.length > 0;
  }

  /** Machines in several infra-envs may have the same id. Without an infra-env, one of them must belong to the scope. */
  private async coversHost(scope: TokenScope, infraEnvId: string | undefined, hostId: string): Promise<boolean> {
    const where = { id: hostId, ...(infraEnvId && { infra_env_id: infraEnvId }) };
    const found = await this.readModels.find({ collection: COLLECTIONS.hosts, where, limit: SAME_IDS_MAX });
    // Otherwise the token could find out which ids other tenants have.
    if (found.length === 0) return infraEnvId !== undefined;
    for (const { document } of found) {
      const { infra_env_id: of, cluster_id: clusterId } = document;
      if ('infraEnvId' in scope ? of === scope.infraEnvId : clusterId && clusterId === scope.clusterId) return true;
      if ('clusterId' in scope && !clusterId && (await this.feeds(of, scope.clusterId))) return true;
    }
    return false;
  }

  /** Whether a host of the scope belongs to the cluster now. */
  async hasHostIn(scope: TokenScope, clusterId: string): Promise<boolean> {
    if ('clusterId' in scope) return scope.clusterId === clusterId;
    const where = { infra_env_id: scope.infraEnvId, cluster_id: clusterId };
    return (await this.readModels.find({ collection: COLLECTIONS.hosts, where, limit: 1 })).length > 0;
  }

  /** Whether hosts of the infra-env are, or will be, hosts of the cluster. */
  private async feeds(infraEnvId: string, clusterId: string): Promise<boolean> {
    const infraEnv = await this.readModels.get(COLLECTIONS.infraEnvs, infraEnvId);
    return infraEnv?.cluster_id === clusterId || this.hasHostIn({ infraEnvId }, clusterId);
  }
}

/**
 * Ownership of clusters, infra-envs and hosts. Users own what they create. With ENABLE_ORG_TENANCY they may read the
 * resources of their organisation.
 */
@Injectable()
export class Ownership {
  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /** @throws RefusalError `not-found` for a resource that the caller may not read, `forbidden` for one that it may only read. */
  async check(caller: Caller, accessMode: AccessMode, { hostIds, infraEnvId, clusterId }: NamedIds): Promise<void> {
    if (seesEverything(caller, accessMode)) return;
    if (clusterId) await this.require(caller, accessMode, COLLECTIONS.clusters, clusterId);
    // Beside a cluster, ids of hosts only restrict what is read of it.
    const hosts = clusterId && accessMode === 'read' ? [] : hostIds;
    for (const hostId of hosts) await this.checkHost(caller, accessMode, infraEnvId, hostId);
    if (infraEnvId && hosts.length === 0) await this.require(caller, accessMode, COLLECTIONS.infraEnvs, infraEnvId);
  }

  private async checkHost(
    caller: Caller,
    accessMode: AccessMode,
    infraEnvId: string | undefined,
    hostId: string,
  ): Promise<void> {
    if (!infraEnvId) return this.checkBareHost(caller, accessMode, hostId);
    const host = await this.readModels.get(COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId));
    // A host belongs to the owner of its cluster. It leaves a removed cluster some time after the removal.
    if (host?.cluster_id && (await this.require(caller, accessMode, COLLECTIONS.clusters, host.cluster_id))) return;
    await this.require(caller, accessMode, COLLECTIONS.infraEnvs, infraEnvId);
  }

  /** Machines of several tenants may have the same id. The caller needs access to one of them. */
  private async checkBareHost(caller: Caller, accessMode: AccessMode, hostId: string): Promise<void> {
    const query = { collection: COLLECTIONS.hosts, where: { id: hostId }, limit: SAME_IDS_MAX };
    let refusal: unknown = UUID_PATTERN.test(hostId) ? new RefusalError(NOT_YOURS) : undefined;
    for (const { document } of await this.readModels.find(query)) {
      try {
        return await this.checkHost(caller, accessMode, document.infra_env_id, hostId);
      } catch (error) {
        refusal = error;
      }
    }
    if (refusal) throw refusal;
  }

  /** Whether the resources exist for this caller: deleted clusters for their readers, and texts that are no ids. */
  async knows(caller: Caller, { clusterId = '', infraEnvId = '' }: NamedIds): Promise<boolean> {
    if (seesEverything(caller, 'read')) return true;
    if (UUID_PATTERN.test(infraEnvId) && !(await this.readModels.get(COLLECTIONS.infraEnvs, infraEnvId))) return false;
    if (!UUID_PATTERN.test(clusterId) || (await this.readModels.get(COLLECTIONS.clusters, clusterId))) return true;
    const deleted = await this.readModels.get(COLLECTIONS.deletedClusters, clusterId);
    return deleted !== undefined && this.mayRead(caller, deleted);
  }

  /**
   * Checks that all of these exist and are visible to the caller. The owner of a removed resource is unknown, so it counts as missing.
   * A deleted cluster exists during its retention period.
   * @throws RefusalError `not-found`
   */
  async requireVisible(caller: Caller, ids: PathIds): Promise<void> {
    if (seesEverything(caller, 'read')) return;
    const { clusterId, infraEnvId, hostId } = ids;
    const deleted = clusterId ? await this.readModels.get(COLLECTIONS.deletedClusters, clusterId) : undefined;
    if (deleted && !this.mayRead(caller, deleted)) throw new RefusalError(NOT_YOURS);
    const wanted = [
      ...(clusterId && !deleted ? [[COLLECTIONS.clusters, clusterId] as const] : []),
      ...(infraEnvId ? [[COLLECTIONS.infraEnvs, infraEnvId] as const] : []),
      ...(hostId && infraEnvId ? [[COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId)] as const] : []),
    ];
    for (const [collection, key] of wanted)
      if (!(await this.readModels.get(collection, key))) throw new RefusalError(NOT_YOURS);
    await this.check(caller, 'read', { clusterId, infraEnvId, hostIds: hostId ? [hostId] : [] });
  }

  /**
   * Whether the caller may change the resource. Values that permit writing, such as agent tokens, are hidden from other
   * callers.
   */
  async permitsWrite(caller: Caller, document: Owned): Promise<boolean> {
    return seesEverything(caller, 'write') || (caller.role === 'user' && (await this.mayWrite(caller, document)));
  }

  /** Whether lists show the resource to the caller. */
  shows(caller: Caller, document: Owned): boolean {
    return seesEverything(caller, 'read') || this.mayRead(caller, document);
  }

  /** Returns whether the resource exists. `knows` refuses a missing one of the path or the body, and handlers refuse others. */
  private async require(
    caller: Caller,
    accessMode: AccessMode,
    collection: Collection<Owned>,
    id: string,
  ): Promise<boolean> {
    const document = await this.readModels.get(collection, id);
    if (!document) return false;
    if (!this.mayRead(caller, document)) throw new RefusalError(NOT_YOURS);
    if (accessMode === 'write' && !(await this.mayWrite(caller, document)))
      throw new RefusalError({
        code: 'forbidden',
        reason: 'The resource belongs to another member of your organization. You can read it, but not change it.',
      });
    return true;
  }

  private mayRead(caller: Caller, { user_name: user, org_id: org }: Owned): boolean {
    return isOwner(caller, user) || (this.config.isOrgTenancy && caller.org !== '' && caller.org === org);
  }

  private async mayWrite(caller: Caller, { user_name: user, cluster_id: clusterId }: Owned): Promise<boolean> {
    if (isOwner(caller, user)) return true;
    if (!this.config.isOrgTenancy || typeof clusterId !== 'string') return false;
    const cluster = await this.readModels.get(COLLECTIONS.clusters, clusterId);
    return cluster !== undefined && isOwner(caller, cluster.user_name);
  }
}

export const NOT_YOURS: Refusal = { code: 'not-found', reason: 'Not found, or you do not have access to it.' };

const isOwner = (caller: Caller, user: unknown): boolean => caller.user !== '' && caller.user === user;

/** `ResourceAccess` checks callers with a token scope. */
export const seesEverything = ({ kind, role }: Caller, accessMode: AccessMode): boolean =>
  kind === 'agent' || role === 'admin' || (role === 'read-only-admin' && accessMode === 'read');
