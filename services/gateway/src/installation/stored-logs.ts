import type { Readable } from 'node:stream';
import { COLLECTIONS, DROPPED_LOGS, UUID_PATTERN } from '@muster/assisted-api';
import { CLOCK, EVENT_STORE, IDS, LOGS, type MusterEventStore, READ_MODELS } from '@muster/nest-kit';
import {
  type Clock,
  type Ids,
  type ObjectAreas,
  type ObjectStore,
  ObjectTooLarge,
  type ReadModels,
  START_OF_STORE,
  type StoredObject,
  unavailableIn,
} from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { memberAt, parseJson, textAt } from '@muster/schema';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { isRefused } from '../bus/commands';
import { ReadYourWrites } from '../bus/read-your-writes';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { LOG_BUNDLE_MAX_BYTES, logsExceedQuota, REQUEST_TIMEOUT_MS } from '../http/request-body';
import { ClusterViews } from '../views/cluster-views';
import { HostViews } from '../views/host-views';
import { collectedLogs } from './log-bundle';

const SWEEP_INTERVAL_MS = 3_600_000;
/** A younger body may belong to an upload whose event is not stored yet. */
const ORPHAN_AGE_MS = 3_600_000;
/** After this time, an upload has ended and its body is older than ORPHAN_AGE_MS. */
const UPLOAD_MAX_MS = REQUEST_TIMEOUT_MS + ORPHAN_AGE_MS;
const READ_MODELS_WAIT_MS = 60_000;
/** How long the list of the bodies of a cluster is used. All hosts of a cluster upload their logs at about the same time. */
const LISTED_MS = 10_000;

/** The bodies of a cluster. Those of other processes since the list was read are missing. */
interface ListedBodies {
  readonly listedAtMs: number;
  readonly bytesByDigest: Map<string, number>;
}

/** The area of the marks, which survive a crash: small JSON bodies. */
const MARKS = 'marks';
const MARK_MAX_BYTES = 1_024;

/**
 * A mark. With a cluster: its area may contain bodies without a reference. With a position: logs that were dropped before were visited.
 * With neither: it is damaged, and may have been of any cluster.
 */
interface Mark {
  readonly digest: string;
  readonly storedAtMs: number;
  readonly clusterId: string | undefined;
  /** An upload stores the mark before its body, and removes it after its event. */
  readonly isUpload: boolean;
  readonly sweptTo: number | undefined;
}

/**
 * Bodies of uploaded logs, one area of the object store per cluster. A replaced body is removed by the upload that
 * replaces it, unless the read models are late or uploads overlap. Bodies without a reference (a replaced body that is left, a refused
 * upload, a deleted host or cluster) are removed at the start and once an hour. Only the areas of interrupted uploads and those with
 * dropped logs are visited. All areas are visited when it is unknown which logs were dropped.
 */
@Injectable()
export class StoredLogs implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('logs');
  private timer: NodeJS.Timeout | undefined;
  private isClosing = false;
  private readonly listed = new Map<string, ListedBodies>();

  constructor(
    @Inject(LOGS) private readonly areas: ObjectAreas,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly readYourWrites: ReadYourWrites,
    private readonly clusters: ClusterViews,
    private readonly hosts: HostViews,
    @Inject(READ_MODELS) private readonly readModels: Pick<ReadModels, 'get'>,
    @Inject(IDS) private readonly ids: Ids,
  ) {}

  onApplicationBootstrap(): void {
    const sweep = (): void =>
      void this.sweep().catch((error: unknown) => this.logger.warn(`Orphaned logs were not removed: ${String(error)}`));
    this.timer = setInterval(sweep, SWEEP_INTERVAL_MS).unref();
    // A service that is restarted more often than once an hour removes them too.
    sweep();
  }

  onApplicationShutdown(): void {
    this.isClosing = true;
    clearInterval(this.timer);
  }

  async open(clusterId: string, digest: string): Promise<Readable | undefined> {
    return (await this.areas.area(clusterId)).open(digest);
  }

  /**
   * Stores the body, then calls `record`, which has to store the event with the digest and to wait until the read models contain
   * it. `key`: `controller` or the key of a host.
   * @throws RefusalError `insufficient-storage` when the logs of the cluster would exceed LOGS_BYTES_PER_CLUSTER_MAX; ObjectTooLarge
   */
  async replace(
    clusterId: string,
    key: string,
    body: Readable,
    record: (stored: StoredObject) => Promise<unknown>,
  ): Promise<void> {
    const mark = await this.putMark({ cluster_id: clusterId, upload: this.ids.uuid() });
    try {
      await this.replaceBody(clusterId, key, body, record);
    } catch (error) {
      // Without the stores the mark stays, and the area is visited later.
      await this.endMark(clusterId, mark).catch(() => undefined);
      throw error;
    }
    await this.removeMarks([mark]).catch(() => undefined);
  }

  private async endMark(clusterId: string, mark: string): Promise<void> {
    if (!(await this.isTidy(clusterId))) await this.putMark({ cluster_id: clusterId, id: this.ids.uuid() });
    await this.removeMarks([mark]);
  }

  private async replaceBody(
    clusterId: string,
    key: string,
    body: Readable,
    record: (stored: StoredObject) => Promise<unknown>,
  ): Promise<void> {
    const area = await this.areas.area(clusterId);
    const replaced = (await this.referenced(clusterId)).get(key);
    const stored = await this.putWithinQuota(clusterId, area, body, replaced);
    try {
      await record(stored);
    } catch (error) {
      // A body whose event may be stored is kept. Without an event it is removed an hour later.
      if (isRefused(error)) await this.removeUnreferenced(clusterId, area, stored.digest);
      throw error;
    }
    if (replaced !== undefined) await this.removeUnreferenced(clusterId, area, replaced);
  }

  /** Removes bodies without a reference. Does nothing while the read models are behind the event store. */
  async sweep(): Promise<void> {
    const head = await this.eventStore.head();
    if (!(await this.readYourWrites.passed(head, READ_MODELS_WAIT_MS))) return;
    const marks = await this.marks();
    const sweptTo = marks.flatMap((mark) => mark.sweptTo ?? []);
    const damaged = marks.filter((mark) => mark.clusterId === undefined && mark.sweptTo === undefined);
    const dropped = await this.droppedSince(damaged.length > 0 ? -Infinity : Math.max(...sweptTo), head);
    const marked = marks.flatMap(({ clusterId }) => clusterId ?? []);
    for (const clusterId of new Set([...dropped, ...marked])) {
      if (this.isClosing) return;
      await this.visit(clusterId, marks);
    }
    if (this.isClosing) return;
    await this.removeEnded(damaged);
    if (sweptTo.length === 1 && sweptTo[0] === head) return;
    const current = await this.putMark({ swept_to: head });
    const earlier = marks.filter((mark) => mark.sweptTo !== undefined && mark.digest !== current);
    await this.removeMarks(earlier.map(({ digest }) => digest));
  }

  /** Returns the clusters of which logs were dropped after the position; all of them when that is not known. `-Infinity`: nothing was swept. */
  private async droppedSince(position: number, head: number): Promise<readonly string[]> {
    const last = await this.readModels.get(COLLECTIONS.droppedLogs, DROPPED_LOGS);
    const isKnown = position <= head && position >= (last?.complete_after ?? START_OF_STORE);
    if (!isKnown) return (await this.areas.names()).filter((name) => UUID_PATTERN.test(name));
    return (last?.clusters ?? []).filter((cluster) => cluster.position > position).map(({ cluster_id: id }) => id);
  }

  /** Removes the old bodies without a reference. The area keeps a mark until it has no young ones and can be read. */
  private async visit(clusterId: string, allMarks: readonly Mark[]): Promise<void> {
    const marks = allMarks.filter((mark) => mark.clusterId === clusterId);
    const isTidy = await this.isTidy(clusterId, (area, digest) => area.remove(digest)).catch((error: unknown) => {
      if (unavailableIn(error)) throw error;
      this.logger.warn(`Orphaned logs of cluster ${clusterId} were not removed: ${String(error)}`);
      return false;
    });
    if (isTidy) return this.removeEnded(marks);
    // The mark of an upload ends with the upload.
    if (marks.every(({ isUpload }) => isUpload)) await this.putMark({ cluster_id: clusterId, id: this.ids.uuid() });
  }

  private async removeEnded(marks: readonly Mark[]): Promise<void> {
    const ended = marks.filter((mark) => !mark.isUpload || this.clock.nowMs() - mark.storedAtMs > UPLOAD_MAX_MS);
    await this.removeMarks(ended.map(({ digest }) => digest));
  }

  /** Returns whether each body of the cluster has a reference, except for old bodies that `removeOld` removes. */
  private async isTidy(
    clusterId: string,
    removeOld?: (area: ObjectStore, digest: string) => Promise<void>,
  ): Promise<boolean> {
    const area = await this.areas.area(clusterId);
    const referenced = new Set((await this.referenced(clusterId)).values());
    let isTidy = true;
    for await (const { digest, storedAtMs } of area.list()) {
      if (referenced.has(digest)) continue;
      if (removeOld && this.clock.nowMs() - storedAtMs > ORPHAN_AGE_MS) await removeOld(area, digest);
      else isTidy = false;
    }
    return isTidy;
  }

  private async marks(): Promise<readonly Mark[]> {
    const area = await this.areas.area(MARKS);
    const marks: Mark[] = [];
    for await (const { digest, storedAtMs } of area.list()) {
      const body = await area.get(digest).catch((error: unknown) => {
        if (unavailableIn(error)) throw error;
        this.logger.warn(`Orphaned logs of all clusters are removed, because a mark cannot be read: ${String(error)}`);
        return Buffer.from('{"upload":"unknown"}');
      });
      if (!body) continue;
      const mark = parseJson(String(body));
      const sweptTo = memberAt(mark, 'swept_to');
      marks.push({
        digest,
        storedAtMs,
        clusterId: textAt(mark, 'cluster_id'),
        isUpload: textAt(mark, 'upload') !== undefined,
        sweptTo: typeof sweptTo === 'number' ? sweptTo : undefined,
      });
    }
    return marks;
  }

  /** Returns the digest of the mark. */
  private async putMark(mark: object): Promise<string> {
    const area = await this.areas.area(MARKS);
    return (await area.put(Buffer.from(JSON.stringify(mark)), MARK_MAX_BYTES)).digest;
  }

  private async removeMarks(digests: readonly string[]): Promise<void> {
    const area = await this.areas.area(MARKS);
    for (const digest of digests) await area.remove(digest);
  }

  private async putWithinQuota(
    clusterId: string,
    area: ObjectStore,
    body: Readable,
    replaced: string | undefined,
  ): Promise<StoredObject> {
    const quota = this.config.logsBytesPerClusterMax;
    const left = quota - bytesIn(await this.bodiesOf(clusterId, area), replaced);
    if (left <= 0) {
      body.resume();
      throw logsExceedQuota(clusterId, quota);
    }
    const stored = await area.put(body, Math.min(LOG_BUNDLE_MAX_BYTES, left)).catch((error: unknown) => {
      throw error instanceof ObjectTooLarge && left < LOG_BUNDLE_MAX_BYTES ? logsExceedQuota(clusterId, quota) : error;
    });
    // The check above does not include concurrent uploads, so the size is checked again after the body was stored.
    const bodies = await this.bodiesOf(clusterId, area);
    bodies.set(stored.digest, stored.bytes);
    if (bytesIn(bodies, replaced === stored.digest ? undefined : replaced) <= quota) return stored;
    await this.removeUnreferenced(clusterId, area, stored.digest);
    throw logsExceedQuota(clusterId, quota);
  }

  /** Returns the digests of the logs of the cluster by key; empty for a cluster that does not exist. */
  private async referenced(clusterId: string): Promise<ReadonlyMap<string, string>> {
    const cluster = await this.clusters.document(clusterId).catch((error: unknown) => {
      if (error instanceof RefusalError && error.refusal.code === 'not-found') return undefined;
      throw error;
    });
    if (!cluster) return new Map();
    const logs = collectedLogs(cluster, await this.hosts.documentsOfCluster(clusterId));
    return new Map(logs.map(({ key, digest }) => [key, digest]));
  }

  /** Two hosts may have uploaded the same bytes. */
  private async removeUnreferenced(clusterId: string, area: ObjectStore, digest: string): Promise<void> {
    if ([...(await this.referenced(clusterId)).values()].includes(digest)) return;
    await area.remove(digest);
    this.listed.get(clusterId)?.bytesByDigest.delete(digest);
  }

  /** Returns the sizes of the bodies of the cluster by digest. Uploads of this process add to it. */
  private async bodiesOf(clusterId: string, area: ObjectStore): Promise<Map<string, number>> {
    const nowMs = this.clock.nowMs();
    for (const [id, { listedAtMs }] of this.listed) if (nowMs - listedAtMs >= LISTED_MS) this.listed.delete(id);
    const known = this.listed.get(clusterId);
    if (known) return known.bytesByDigest;
    const bytesByDigest = new Map<string, number>();
    for await (const { digest, bytes } of area.list()) bytesByDigest.set(digest, bytes);
    const listed = this.listed.get(clusterId) ?? { listedAtMs: nowMs, bytesByDigest };
    this.listed.set(clusterId, listed);
    return listed.bytesByDigest;
  }
}

/** Total size of all bodies except one. */
const bytesIn = (bytesByDigest: ReadonlyMap<string, number>, without: string | undefined): number =>
  [...bytesByDigest].reduce((sum, [digest, bytes]) => (digest === without ? sum : sum + bytes), 0);
