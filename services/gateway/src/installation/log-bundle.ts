import type { Readable } from 'node:stream';
import {
  type ClusterDocument,
  COLLECTIONS,
  type EventDocument,
  type HostDocument,
  presentEvent,
} from '@muster/assisted-api';
import { IgnitionService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { LOGS, READ_MODELS } from '@muster/nest-kit';
import type { ObjectAreas, ReadModels } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { Commands } from '../bus/commands';
import { createTar, type TarEntry } from '../http/file-answers';
import { ClusterViews } from '../views/cluster-views';
import { collect, findAll } from '../views/documents';

/** A collected log bundle. `source` is `controller` or a host id. */
export interface CollectedLog {
  readonly source: string;
  readonly digest: string;
  readonly fileName: string;
}

/** Returns the collected logs of a cluster, with those of the controller first. */
export function collectedLogs(cluster: ClusterDocument, hosts: readonly HostDocument[]): readonly CollectedLog[] {
  const name = safe(cluster.name);
  const logs: CollectedLog[] = [];
  const controller = cluster._log_digests['controller'];
  if (controller) logs.push({ source: 'controller', digest: controller, fileName: `${name}_controller_logs.tar.gz` });
  for (const host of hosts) {
    const digest = host._logs_digest ?? cluster._log_digests[host.id];
    if (!digest) continue;
    const role = host.bootstrap ? 'bootstrap' : host.role;
    const hostName = safe(host.requested_hostname || host._reported_hostname || host.id);
    const fileName = `${[name, role, hostName].filter(Boolean).join('_')}.tar.gz`;
    const isTaken = logs.some((log) => log.fileName === fileName);
    logs.push({
      source: host.id,
      digest,
      // File names as in assisted-service v2, with the host id, because two hosts may have the same name.
      fileName: isTaken ? fileName.replace(/\.tar\.gz$/, `_${host.id}.tar.gz`) : fileName,
    });
  }
  return logs;
}

/** Hosts report their names, so path separators and characters that are not safe in a header are replaced. */
const safe = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9.-]/g, '-')
    .replace(/^\.+/, '')
    .slice(0, 64);

/**
 * The archive for analysing an installation: events, state of the cluster, names of its custom manifests, and collected
 * logs. It exists before the first upload too. Documents of users are omitted, unlike in assisted-service v2, because
 * bundles are passed on.
 */
@Injectable()
export class LogBundle {
  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    @Inject(LOGS) private readonly areas: ObjectAreas,
    private readonly clusters: ClusterViews,
    private readonly commands: Commands,
  ) {}

  async create(clusterId: string, logs: readonly CollectedLog[], context: CommandContext): Promise<Readable> {
    const stored = await this.areas.area(clusterId);
    const entries: TarEntry[] = [
      { name: 'cluster_events.json', open: () => this.events(clusterId) },
      { name: 'cluster_metadata.json', open: async () => toJson(await this.clusters.showWithoutDocuments(clusterId)) },
      ...(await this.manifests(clusterId, context)),
      ...logs.map(({ fileName, digest }) => ({ name: fileName, open: () => stored.open(digest) })),
    ];
    return createTar(entries);
  }

  /** All categories in chronological order, with the members that the events API omits. */
  private async events(clusterId: string): Promise<Buffer> {
    const query = { collection: COLLECTIONS.events, where: { cluster_id: clusterId } };
    const events = await collect(findAll<EventDocument>(this.readModels, query));
    return toJson(
      events.map((event) => ({ ...presentEvent(event), category: event.category, request_id: event.request_id })),
    );
  }

  /**
   * Names only, because a manifest may contain secrets. Undefined when the ignition service refuses or does not answer.
   */
  private async manifests(clusterId: string, context: CommandContext): Promise<readonly TarEntry[]> {
    const input = { clusterId, includeSystemGenerated: false };
    try {
      const { manifests } = await this.commands.send(IgnitionService.method.listManifests, input, context);
      const names = manifests.map(({ folder, fileName }) => ({ folder, file_name: fileName }));
      return [{ name: 'manifests.json', open: () => Promise.resolve(toJson(names)) }];
    } catch (error) {
      if (error instanceof RefusalError) return [];
      throw error;
    }
  }
}

const toJson = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
