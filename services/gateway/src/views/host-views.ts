import { Inject, Injectable } from '@nestjs/common';
import { type ClusterDocument, COLLECTIONS, type HostDocument, presentHost, type V2Host } from '@muster/assisted-api';
import { hostKeyOf } from '@muster/contracts';
import { type Platform, PLATFORM } from '@muster/nest-kit';
import { collect, findAll } from './documents';
import { LastSeen } from '../agents/last-seen';
import { noHost } from './not-found';
import { ReportedBodies } from './reported-bodies';

/** Which of the big reported bodies an answer shows. */
export interface HostDetail {
  readonly inventory: boolean;
  readonly connectivity: boolean;
}

const EVERYTHING: HostDetail = { inventory: true, connectivity: true };

/** Hosts as the contract shows them. */
@Injectable()
export class HostViews {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly bodies: ReportedBodies,
    private readonly lastSeen: LastSeen,
  ) {}

  /** Throws RefusalError `not-found`. */
  async document(infraEnvId: string, hostId: string): Promise<HostDocument> {
    const document = await this.platform.readModels.get(COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId));
    if (!document) throw noHost(infraEnvId, hostId);
    return document as unknown as HostDocument;
  }

  /** Throws RefusalError `not-found`. */
  async show(infraEnvId: string, hostId: string): Promise<V2Host> {
    const document = await this.document(infraEnvId, hostId);
    return this.present(document, await this.controlPlaneCountOf(document.cluster_id), EVERYTHING);
  }

  async documentsOfCluster(clusterId: string): Promise<readonly HostDocument[]> {
    return this.documents({ cluster_id: clusterId });
  }

  async documentsOfInfraEnv(infraEnvId: string): Promise<readonly HostDocument[]> {
    return this.documents({ infra_env_id: infraEnvId });
  }

  async listOfInfraEnv(infraEnvId: string): Promise<readonly V2Host[]> {
    const documents = await this.documentsOfInfraEnv(infraEnvId);
    const counts = new Map<string, number | undefined>();
    for (const { cluster_id: id } of documents) {
      if (id && !counts.has(id)) counts.set(id, await this.controlPlaneCountOf(id));
    }
    return Promise.all(
      documents.map((document) => this.present(document, counts.get(document.cluster_id ?? ''), EVERYTHING)),
    );
  }

  async present(document: HostDocument, controlPlaneCount: number | undefined, detail: HostDetail): Promise<V2Host> {
    const [inventory, connectivity, freeAddresses, apiVipConnectivity, tangConnectivity, ignitionConfigOverrides] =
      await Promise.all([
        detail.inventory ? this.bodies.text(document._inventory_digest) : undefined,
        detail.connectivity ? this.bodies.text(document._connectivity_digest) : undefined,
        detail.connectivity ? this.bodies.text(document._free_addresses_digest) : undefined,
        this.bodies.text(document._api_vip_connectivity_digest),
        this.bodies.text(document._tang_connectivity_digest),
        this.bodies.text(document._ignition_overrides_digest),
      ]);
    const checkedInAt = this.lastSeen.since(document.infra_env_id, document.id, document.checked_in_at);
    return presentHost(
      { ...document, checked_in_at: checkedInAt },
      {
        controlPlaneCount,
        inventory,
        connectivity,
        freeAddresses,
        apiVipConnectivity,
        tangConnectivity,
        ignitionConfigOverrides,
      },
    );
  }

  private documents(where: { readonly [field: string]: string }): Promise<readonly HostDocument[]> {
    return collect(
      findAll<HostDocument>(this.platform.readModels, {
        collection: COLLECTIONS.hosts,
        where,
        orderBy: { field: 'created_at' },
      }),
    );
  }

  private async controlPlaneCountOf(clusterId: string | undefined): Promise<number | undefined> {
    if (!clusterId) return undefined;
    const cluster = await this.platform.readModels.get(COLLECTIONS.clusters, clusterId);
    return (cluster as unknown as ClusterDocument | undefined)?.control_plane_count;
  }
}
