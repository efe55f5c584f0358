import { Inject, Injectable } from '@nestjs/common';
import { COLLECTIONS } from '@muster/assisted-api';
import { hostKeyOf } from '@muster/contracts';
import { READ_MODELS } from '@muster/nest-kit';
import type { ReadModels, Collection } from '@muster/ports';
import { type Refusal, RefusalError } from '@muster/problems';
import { type GatewayConfig, GATEWAY_CONFIG } from '../config';
import type { PathIds } from './authenticator';
import type { Caller } from './caller';
import type { NamedIds } from './named-ids';
import { SAME_IDS_MAX } from './token-scope.service';

export type Wish = 'read' | 'write';

/** What says whose a document is. */
export interface Owned {
  readonly user_name?: unknown;
  readonly org_id?: unknown;
  readonly cluster_id?: unknown;
}

/** Ownership of clusters, infra-envs and hosts: users own what they create, and may read what their organization owns with ENABLE_ORG_TENANCY. */
@Injectable()
export class Ownership {
  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /** @throws RefusalError `not-found` for a resource that the caller may not read, `forbidden` for one that it may only read. */
  async check(caller: Caller, wish: Wish, { hostIds, infraEnvId, clusterId }: NamedIds): Promise<void> {
    if (seesEverything(caller, wish)) return;
    if (clusterId) await this.require(caller, wish, COLLECTIONS.clusters, clusterId);
    for (const hostId of hostIds) await this.checkHost(caller, wish, infraEnvId, hostId);
    if (infraEnvId && hostIds.length === 0) await this.require(caller, wish, COLLECTIONS.infraEnvs, infraEnvId);
  }

  private async checkHost(caller: Caller, wish: Wish, infraEnvId: string | undefined, hostId: string): Promise<void> {
    if (!infraEnvId) return this.checkBareHost(caller, wish, hostId);
    const host = await this.readModels.get(COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId));
    // A host belongs to the owner of its cluster.
    if (host?.cluster_id) await this.require(caller, wish, COLLECTIONS.clusters, host.cluster_id);
    else await this.require(caller, wish, COLLECTIONS.infraEnvs, infraEnvId);
  }

  /** Machines of several tenants may have one id: the caller needs access to one of them. */
  private async checkBareHost(caller: Caller, wish: Wish, hostId: string): Promise<void> {
    const where = { id: hostId };
    const found = await this.readModels.find({ collection: COLLECTIONS.hosts, where, limit: SAME_IDS_MAX });
    let refusal: unknown;
    for (const { document } of found) {
      try {
        return await this.checkHost(caller, wish, document.infra_env_id, hostId);
      } catch (error) {
        refusal = error;
      }
    }
    if (refusal) throw refusal;
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

  /** Whether a list shows the document to the caller. */
  shows(caller: Caller, document: Owned): boolean {
    return seesEverything(caller, 'read') || this.mayRead(caller, document);
  }

  private async require(caller: Caller, wish: Wish, collection: Collection<Owned>, id: string): Promise<void> {
    const document = await this.readModels.get(collection, id);
    // The handler refuses a missing resource with the same message as an invisible one.
    if (!document) return;
    if (!this.mayRead(caller, document)) throw new RefusalError(NOT_YOURS);
    if (wish === 'write' && !(await this.mayWrite(caller, document)))
      throw new RefusalError({
        code: 'forbidden',
        reason: 'You can read this but not change it: it belongs to another member of your organization.',
      });
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

const NOT_YOURS: Refusal = { code: 'not-found', reason: 'Not found, or you do not have access to it.' };

const isOwner = (caller: Caller, user: unknown): boolean => caller.user !== '' && caller.user === user;

/** ResourceAccess checks the scopes of tokens. */
const seesEverything = ({ kind, role }: Caller, wish: Wish): boolean =>
  kind === 'agent' || role === 'admin' || (role === 'read-only-admin' && wish === 'read');
