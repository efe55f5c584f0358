import { COLLECTIONS, type HostDocument, presentHost, type V2Host } from '@muster/assisted-api';
import { hostKeyOf } from '@muster/contracts';
import { READ_MODELS } from '@muster/nest-kit';
import type { ReadModelConditions, ReadModels } from '@muster/ports';
import { Inject, Injectable } from '@nestjs/common';
import { LastSeen } from '../auth/last-seen';
import { type JsonAnswer, jsonList, type JsonPiece, jsonPieces, withMembers } from '../http/file-answers';
import { collect, findAll, ListOrder, noHost, SealedTexts } from './documents';
import { endOf, HostTexts, ReportedBodies } from './host-texts';
import { allOf, KeptTexts, type Sources } from './kept-texts';
import { RenderTurns } from './render-turns';

/** Which large reported bodies a response contains. */
export interface HostDetail {
  readonly inventory: boolean;
  readonly connectivity: boolean;
  /**
   * Include the documents of users.
   * @default true
   */
  readonly documents?: boolean;
}

/** Maximum total size of cached lists of hosts. */
const KEPT_LISTS_MAX_BYTES = 64 * 1024 * 1024;

const EVERYTHING: HostDetail = { inventory: true, connectivity: true };
const OLDEST_FIRST = new ListOrder<HostDocument>('created_at');

/** Hosts in the shape of the v2 API. */
@Injectable()
export class HostViews {
  private readonly texts: HostTexts;
  private readonly lists = new KeptTexts(KEPT_LISTS_MAX_BYTES);

  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    private readonly bodies: ReportedBodies,
    private readonly sealed: SealedTexts,
    private readonly lastSeen: LastSeen,
    private readonly turns: RenderTurns,
  ) {
    this.texts = new HostTexts(turns);
  }

  /** @throws RefusalError `not-found` */
  async document(infraEnvId: string, hostId: string): Promise<HostDocument> {
    const document = await this.readModels.get(COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId));
    if (!document) throw noHost(infraEnvId, hostId);
    return document;
  }

  /**
   * Returns the host with more members at the end.
   * @throws RefusalError `not-found`
   */
  async show(infraEnvId: string, hostId: string, members?: object): Promise<JsonAnswer> {
    const document = await this.document(infraEnvId, hostId);
    const text = await this.text(document, await this.controlPlaneCountOf(document.cluster_id), EVERYTHING);
    return jsonPieces(members ? withMembers(text, members) : text);
  }

  async documentsOfCluster(clusterId: string): Promise<readonly HostDocument[]> {
    return this.documents({ cluster_id: clusterId });
  }

  /** Returns the hosts that were deleted while they were in the cluster. */
  async deletedDocumentsOfCluster(clusterId: string): Promise<readonly HostDocument[]> {
    return this.documents({ cluster_id: clusterId }, COLLECTIONS.deletedHosts);
  }

  async documentsOfInfraEnv(infraEnvId: string): Promise<readonly HostDocument[]> {
    return this.documents({ infra_env_id: infraEnvId });
  }

  /** Returns the list as JSON in parts. */
  async listOfInfraEnv(infraEnvId: string): Promise<readonly JsonPiece[]> {
    const documents = await this.documentsOfInfraEnv(infraEnvId);
    const counts = new Map<string, number | undefined>();
    for (const { cluster_id: id } of documents) {
      if (id && !counts.has(id)) counts.set(id, await this.controlPlaneCountOf(id));
    }
    const countOf = (document: HostDocument): number | undefined => counts.get(document.cluster_id ?? '');
    return this.lists.joined(infraEnvId, {
      sources: () => documents.flatMap((document) => [...this.sourcesOf(document), countOf(document)]),
      render: async () =>
        jsonList(await allOf(documents.map((document) => this.text(document, countOf(document), EVERYTHING)))),
    });
  }

  /** Returns the present sources of the text of the host, except the arguments of `text`. */
  sourcesOf(document: HostDocument): Sources {
    return [document, this.checkedInAt(document), this.timestampOf(document)];
  }

  /** Returns the host as JSON in parts. */
  text(
    document: HostDocument,
    controlPlaneCount: number | undefined,
    detail: HostDetail,
  ): readonly JsonPiece[] | Promise<readonly JsonPiece[]> {
    const variant = `${controlPlaneCount ?? ''}/${Number(detail.inventory)}${Number(detail.documents ?? true)}`;
    const text = this.texts.of(document, variant, () =>
      this.prepare(document, controlPlaneCount, { ...detail, connectivity: false }),
    );
    const members = detail.connectivity ? this.connectivityOf(document) : [];
    const end = endOf(this.checkedInAt(document), this.timestampOf(document));
    return allOf([text, ...members, end]);
  }

  /** Returns the members that grow with the number of hosts in the cluster. */
  private connectivityOf(document: HostDocument): readonly (JsonPiece | Promise<JsonPiece>)[] {
    const reported = { connectivity: document._connectivity_digest, free_addresses: document._free_addresses_digest };
    return Object.entries(reported).flatMap(([name, digest]) => (digest ? this.bodies.member(name, digest) : []));
  }

  /** Reads what the document refers to. Returns the function that presents the host. */
  private async prepare(
    document: HostDocument,
    controlPlaneCount: number | undefined,
    detail: HostDetail,
  ): Promise<() => V2Host> {
    const [inventory, connectivity, freeAddresses, apiVipConnectivity, tangConnectivity, ignitionConfigOverrides] =
      await Promise.all([
        detail.inventory ? this.bodies.text(document._inventory_digest) : undefined,
        detail.connectivity ? this.bodies.text(document._connectivity_digest) : undefined,
        detail.connectivity ? this.bodies.text(document._free_addresses_digest) : undefined,
        this.bodies.text(document._api_vip_connectivity_digest),
        this.bodies.text(document._tang_connectivity_digest),
        detail.documents === false
          ? undefined
          : this.sealed.of(document.infra_env_id, document._ignition_overrides_digest),
      ]);
    return () =>
      presentHost(
        { ...document, checked_in_at: this.checkedInAt(document) },
        {
          controlPlaneCount,
          timestamp: this.timestampOf(document),
          inventory,
          connectivity,
          freeAddresses,
          apiVipConnectivity,
          tangConnectivity,
          ignitionConfigOverrides,
        },
      );
  }

  /** Returns a past state of the host as JSON, with the inventory of that time. */
  async pastText(document: HostDocument, controlPlaneCount: number | undefined): Promise<JsonPiece> {
    const inventory = await this.bodies.text(document._inventory_digest);
    return this.turns.run(() => JSON.stringify(presentHost(document, { controlPlaneCount, inventory })));
  }

  private checkedInAt({ infra_env_id: infraEnvId, id, checked_in_at: stored }: HostDocument): string {
    return this.lastSeen.since(infraEnvId, id, stored);
  }

  private timestampOf({ infra_env_id: infraEnvId, id }: HostDocument): number | undefined {
    return this.lastSeen.clockOf(infraEnvId, id);
  }

  private documents(
    where: ReadModelConditions<HostDocument>['where'],
    collection = COLLECTIONS.hosts,
  ): Promise<readonly HostDocument[]> {
    return collect(findAll(this.readModels, { collection, where, order: OLDEST_FIRST }));
  }

  private async controlPlaneCountOf(clusterId: string | undefined): Promise<number | undefined> {
    if (!clusterId) return undefined;
    const cluster = await this.readModels.get(COLLECTIONS.clusters, clusterId);
    return cluster?.control_plane_count;
  }
}
