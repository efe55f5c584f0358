import {
  type ClusterDocument,
  COLLECTIONS,
  type HostDocument,
  presentCluster,
  type V2Cluster,
} from '@muster/assisted-api';
import { withoutCredentials } from '@muster/domain';
import { READ_MODELS } from '@muster/nest-kit';
import type { Collection, ReadModels } from '@muster/ports';
import { parseJson } from '@muster/schema';
import { Inject, Injectable } from '@nestjs/common';
import { type JsonAnswer, jsonList, type JsonPiece, jsonPieces } from '../http/file-answers';
import { collect, findAll, ListOrder, noCluster, SealedTexts } from './documents';
import { type HostDetail, HostViews } from './host-views';
import { allOf, KeptTexts, type Sources, type Text } from './kept-texts';
import { RenderTurns } from './render-turns';

/** Members of hosts within a cluster. They equal those of a single host. */
const HOSTS_IN_CLUSTER: HostDetail = { inventory: true, connectivity: true };

interface Static {
  readonly withHosts: boolean;
  /**
   * Include deleted clusters and hosts within their retention period.
   * @default false
   */
  readonly withDeleted?: boolean;
  /**
   * Whether the caller may only read the cluster. Then the credentials in its overrides are masked.
   * @default false, for callers with write access
   */
  readonly isReader?: (document: ClusterDocument) => Promise<boolean>;
}

/** How the documents of users are shown: as they were given, with masked credentials, or not at all. */
type Documents = 'given' | 'masked' | 'omitted';

const END = '}';
const NEWEST_FIRST = new ListOrder<ClusterDocument>('created_at', true);
/** Maximum total size of cached clusters without their hosts. */
const KEPT_CLUSTERS_MAX_BYTES = 64 * 1024 * 1024;
/** Maximum total size of cached clusters with their hosts. */
const KEPT_WHOLE_MAX_BYTES = 64 * 1024 * 1024;

/** Clusters in the shape of the v2 API. */
@Injectable()
export class ClusterViews {
  private readonly kept = new KeptTexts(KEPT_CLUSTERS_MAX_BYTES);
  private readonly whole = new KeptTexts(KEPT_WHOLE_MAX_BYTES);

  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    private readonly hosts: HostViews,
    private readonly sealed: SealedTexts,
    private readonly turns: RenderTurns,
  ) {}

  /** @throws RefusalError `not-found` */
  async document(clusterId: string): Promise<ClusterDocument> {
    const document = await this.readModels.get(COLLECTIONS.clusters, clusterId);
    if (!document) throw noCluster(clusterId);
    return document;
  }

  /** @throws RefusalError `not-found` */
  async show(clusterId: string, options: Static = { withHosts: true }): Promise<JsonAnswer> {
    return jsonPieces(await this.text(clusterId, options));
  }

  /**
   * Returns the cluster with its hosts as JSON in parts, without the documents of users, which may contain secrets.
   * @throws RefusalError `not-found`
   */
  async textWithoutDocuments(clusterId: string): Promise<readonly JsonPiece[]> {
    const document = await this.document(clusterId);
    return (await this.textWithHosts(document, { withDeleted: false, documents: 'omitted' })).render();
  }

  /**
   * Returns the cluster as JSON in parts.
   * @throws RefusalError `not-found`
   */
  async text(clusterId: string, options: Static): Promise<readonly JsonPiece[]> {
    const document = await (options.withDeleted ? this.documentOrDeleted(clusterId) : this.document(clusterId));
    const documents = await documentsFor(document, options);
    const variant = `${Number(options.withHosts)}${Number(options.withDeleted ?? false)}${documents}`;
    return this.whole.joined(`${clusterId}/${variant}`, await this.textOf(document, options, documents));
  }

  /** Returns a past state of a cluster as JSON in parts, with its hosts of that time and more members. */
  async pastText(
    document: ClusterDocument,
    hostDocuments: readonly HostDocument[],
    members: object,
    isReader: boolean,
  ): Promise<readonly JsonPiece[]> {
    const texts = hostDocuments.map((host) => this.hosts.pastText(host, document.control_plane_count));
    const hosts = await Promise.all(texts);
    const installConfigOverrides = await this.overridesOf(document, isReader ? 'masked' : 'given');
    const begin = await this.turns.run(() =>
      untilHosts(Object.assign(presentCluster(document, { hostDocuments, installConfigOverrides }), members)),
    );
    return [begin, ...jsonList(hosts.map((text) => [text])), END];
  }

  /** Returns the list as JSON in parts. */
  async list(filter: (cluster: ClusterDocument) => boolean, options: Static): Promise<readonly JsonPiece[]> {
    const inCollection = (collection: Collection<ClusterDocument>): Promise<readonly ClusterDocument[]> =>
      collect(findAll(this.readModels, { collection, where: {}, order: NEWEST_FIRST }));
    const present = await inCollection(COLLECTIONS.clusters);
    const deleted = options.withDeleted ? await inCollection(COLLECTIONS.deletedClusters) : [];
    const wanted = [...present, ...deleted].filter(filter);
    const masked = await maskedIn(wanted, options);
    const ofOne = (document: ClusterDocument): Documents =>
      masked.size > 0 && masked.has(document) ? 'masked' : 'given';
    const sourcesOf = (sources: Sources): Sources =>
      masked.size > 0 ? [...sources, [...masked].map(({ id }) => id).join()] : sources;
    const key = `/${Number(options.withHosts)}${Number(options.withDeleted ?? false)}`;
    if (!options.withHosts)
      return this.whole.joined(key, {
        sources: () => sourcesOf(wanted),
        render: async () => jsonList(await allOf(wanted.map((document) => this.textAlone(document, ofOne(document))))),
      });
    const texts = await Promise.all(wanted.map((document) => this.textOf(document, options, ofOne(document))));
    return this.whole.joined(key, {
      sources: () => sourcesOf(texts.flatMap((text) => text.sources())),
      render: async () => jsonList(await Promise.all(texts.map((text) => text.render()))),
    });
  }

  /**
   * Returns the hosts of an existing cluster as a JSON list in parts.
   * @throws RefusalError `not-found`
   */
  async hostsOf(
    clusterId: string,
    filter: (host: HostDocument) => boolean,
    detail: HostDetail,
  ): Promise<readonly JsonPiece[]> {
    const cluster = await this.document(clusterId);
    const hosts = (await this.hosts.documentsOfCluster(clusterId)).filter(filter);
    const key = `${clusterId}/hosts/${Number(detail.inventory)}${Number(detail.connectivity)}`;
    return this.whole.joined(key, {
      sources: () => [cluster.control_plane_count, ...hosts.flatMap((host) => this.hosts.sourcesOf(host))],
      render: async () =>
        jsonList(await allOf(hosts.map((host) => this.hosts.text(host, cluster.control_plane_count, detail)))),
    });
  }

  private async documentOrDeleted(clusterId: string): Promise<ClusterDocument> {
    const deleted = await this.readModels.get(COLLECTIONS.deletedClusters, clusterId);
    return deleted ?? this.document(clusterId);
  }

  private textOf(
    document: ClusterDocument,
    { withHosts, withDeleted = false }: Static,
    documents: Documents,
  ): Text | Promise<Text> {
    if (withHosts) return this.textWithHosts(document, { withDeleted, documents });
    return { sources: () => [document], render: () => this.textAlone(document, documents) };
  }

  private textAlone(
    document: ClusterDocument,
    documents: Documents,
  ): readonly JsonPiece[] | Promise<readonly JsonPiece[]> {
    const key = documents === 'given' ? document.id : `${document.id}/${documents}`;
    return this.kept.find(key, [document]) ?? this.rendered(key, document, documents);
  }

  private async textWithHosts(
    document: ClusterDocument,
    { withDeleted, documents }: { readonly withDeleted: boolean; readonly documents: Documents },
  ): Promise<Text> {
    const hostDocuments = [
      // The documents of many clusters are read in several turns as well.
      ...(await this.turns.run(() => this.hosts.documentsOfCluster(document.id))),
      ...(withDeleted ? await this.hosts.deletedDocumentsOfCluster(document.id) : []),
    ];
    const key = `${document.id}/hosts/${Number(withDeleted)}${documents}`;
    const [begin = END] =
      this.kept.find(key, [document, ...hostDocuments]) ??
      (await this.rendered(key, document, documents, hostDocuments));
    const detail = { ...HOSTS_IN_CLUSTER, documents: documents !== 'omitted' };
    return {
      sources: () => [document, ...hostDocuments.flatMap((host) => this.hosts.sourcesOf(host))],
      render: async () => {
        const hosts = hostDocuments.map((host) => this.hosts.text(host, document.control_plane_count, detail));
        return [begin, ...jsonList(await allOf(hosts)), END];
      },
    };
  }

  /** Renders the cluster and keeps the text. With documents of hosts it ends where the list of the hosts begins. */
  private async rendered(
    key: string,
    document: ClusterDocument,
    documents: Documents,
    hostDocuments?: readonly HostDocument[],
  ): Promise<readonly JsonPiece[]> {
    const installConfigOverrides = await this.overridesOf(document, documents);
    return this.turns.run(() => {
      const cluster = presentCluster(document, { hostDocuments, installConfigOverrides });
      const pieces = [hostDocuments ? untilHosts(cluster) : JSON.stringify(cluster)];
      this.kept.keep(key, [document, ...(hostDocuments ?? [])], pieces);
      return pieces;
    });
  }

  /**
   * Returns the text that a web console stored; empty without one.
   * @throws RefusalError `not-found`
   */
  async uiSettings(clusterId: string): Promise<string> {
    const { _ui_settings_digest: digest } = await this.document(clusterId);
    return (await this.sealed.of(clusterId, digest)) ?? '';
  }

  private async overridesOf(document: ClusterDocument, documents: Documents): Promise<string | undefined> {
    if (documents === 'omitted') return undefined;
    const text = await this.sealed.of(document.id, document._install_config_overrides?.digest);
    return text && documents === 'masked' ? JSON.stringify(withoutCredentials(parseJson(text))) : text;
  }
}

/** Without overrides, all callers share the text of a cluster. */
function documentsFor(document: ClusterDocument, { isReader }: Static): Documents | Promise<Documents> {
  if (!isReader || !document._install_config_overrides) return 'given';
  return isReader(document).then((isMasked) => (isMasked ? 'masked' : 'given'));
}

/** Returns the clusters with overrides that the caller may only read. */
async function maskedIn(documents: readonly ClusterDocument[], options: Static): Promise<ReadonlySet<ClusterDocument>> {
  if (!options.isReader) return new Set();
  const shown = await allOf(documents.map((document) => documentsFor(document, options)));
  return new Set(documents.filter((_, index) => shown[index] === 'masked'));
}

/** Returns the JSON of the cluster up to the list of its hosts, which is its last member. */
function untilHosts(cluster: V2Cluster): string {
  // Undefined members are not written. A copy without the member takes as long as the writing.
  const text = JSON.stringify(Object.assign(cluster, { hosts: undefined }));
  return `${text.slice(0, -1)},"hosts":`;
}
