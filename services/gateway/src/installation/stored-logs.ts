import type { Readable } from 'node:stream';
import { CLOCK, EVENT_STORE, LOGS, type MusterEventStore } from '@muster/nest-kit';
import { type Clock, type ObjectAreas, type ObjectStore, ObjectTooLarge, type StoredObject } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ReadYourWrites } from '../bus/read-your-writes';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { LOG_BUNDLE_MAX_BYTES } from '../http/request-body';
import { ClusterViews } from '../views/cluster-views';
import { HostViews } from '../views/host-views';
import { collectedLogs } from './log-bundle';

const SWEEP_INTERVAL_MS = 3_600_000;
/** A younger body may belong to an upload whose event is not stored yet. */
const ORPHAN_AGE_MS = 3_600_000;
const READ_MODELS_WAIT_MS = 60_000;
/** How long the list of the bodies of a cluster is used. All hosts of a cluster upload their logs at about the same time. */
const LISTED_MS = 10_000;

/** The bodies of a cluster. Those of other processes since the list was read are missing. */
interface ListedBodies {
  readonly listedAtMs: number;
  readonly bytesByDigest: Map<string, number>;
}

/**
 * Bodies of uploaded logs, one area of the object store per cluster. A replaced body is removed by the upload that
 * replaces it. Bodies without a reference (a refused upload, a deleted host or cluster) are removed at the start and once an hour.
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
   * it. `source`: `controller` or the id of a host.
   * @throws RefusalError `insufficient-storage` when the logs of the cluster would exceed LOGS_BYTES_PER_CLUSTER_MAX; ObjectTooLarge
   */
  async replace(
    clusterId: string,
    source: string,
    body: Readable,
    record: (stored: StoredObject) => Promise<unknown>,
  ): Promise<void> {
    const area = await this.areas.area(clusterId);
    const before = await this.referenced(clusterId);
    const replaced = before.get(source);
    const stored = await this.putWithinQuota(clusterId, area, body, replaced);
    try {
      await record(stored);
    } catch (error) {
      await this.removeUnreferenced(clusterId, area, stored.digest);
      throw error;
    }
    if (replaced !== undefined) await this.removeUnreferenced(clusterId, area, replaced);
  }

  /** Removes bodies without a reference. Does nothing while the read models are behind the event store. */
  async sweep(): Promise<void> {
    if (!(await this.readYourWrites.passed(await this.eventStore.head(), READ_MODELS_WAIT_MS))) return;
    if (this.isClosing) return;
    for (const clusterId of await this.areas.names()) {
      if (this.isClosing) return;
      const area = await this.areas.area(clusterId);
      const referenced = new Set((await this.referenced(clusterId)).values());
      for await (const { digest, storedAtMs } of area.list())
        if (!referenced.has(digest) && this.clock.nowMs() - storedAtMs > ORPHAN_AGE_MS) await area.remove(digest);
    }
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
      throw quotaExceeded(clusterId, quota);
    }
    const stored = await area.put(body, Math.min(LOG_BUNDLE_MAX_BYTES, left)).catch((error: unknown) => {
      throw error instanceof ObjectTooLarge && left < LOG_BUNDLE_MAX_BYTES ? quotaExceeded(clusterId, quota) : error;
    });
    // The check above does not include concurrent uploads, so the size is checked again after the body was stored.
    const bodies = await this.bodiesOf(clusterId, area);
    bodies.set(stored.digest, stored.bytes);
    if (bytesIn(bodies, replaced === stored.digest ? undefined : replaced) <= quota) return stored;
    await this.removeUnreferenced(clusterId, area, stored.digest);
    throw quotaExceeded(clusterId, quota);
  }

  /** Returns the digests of the logs of the cluster by source; empty for a cluster that does not exist. */
  private async referenced(clusterId: string): Promise<ReadonlyMap<string, string>> {
    const cluster = await this.clusters.document(clusterId).catch((error: unknown) => {
      if (error instanceof RefusalError && error.refusal.code === 'not-found') return undefined;
      throw error;
    });
    if (!cluster) return new Map();
    const logs = collectedLogs(cluster, await this.hosts.documentsOfCluster(clusterId));
    return new Map(logs.map(({ source, digest }) => [source, digest]));
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
function bytesIn(bytesByDigest: ReadonlyMap<string, number>, without: string | undefined): number {
  let sum = 0;
  for (const [digest, bytes] of bytesByDigest) if (digest !== without) sum += bytes;
  return sum;
}

const quotaExceeded = (clusterId: string, quota: number): RefusalError =>
  new RefusalError({
    code: 'insufficient-storage',
    reason: `The logs of cluster ${clusterId} would exceed ${quota} bytes (LOGS_BYTES_PER_CLUSTER_MAX). Upload less, or raise the setting.`,
  });
