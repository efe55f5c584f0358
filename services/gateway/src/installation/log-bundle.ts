import type { Readable } from 'node:stream';
import {
  type ClusterDocument,
  COLLECTIONS,
  type EventDocument,
  type HostDocument,
  presentEvent,
} from '@muster/assisted-api';
import { hostKeyOf, IgnitionService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { LOGS, READ_MODELS } from '@muster/nest-kit';
import type { ObjectAreas, ReadModels } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller';
import { Commands } from '../bus/commands';
import { EventScopes } from '../events/events.controller';
import { createTar, inArchive, jsonList, type SizedStream, streamOf, type TarEntry } from '../http/file-answers';
import { ClusterViews } from '../views/cluster-views';
import { collect, findAll } from '../views/documents';
import { RenderTurns } from '../views/render-turns';

/** A collected log bundle. */
export interface CollectedLog {
  /** `controller` or a host id. */
  readonly source: string;
  /** `controller` or a host key: hosts of several infra-envs may have the same id. */
  readonly key: string;
  readonly digest: string;
  /** ISO 8601 UTC. */
  readonly collectedAt: string;
  /** Name of the file when it is downloaded alone. */
  readonly fileName: string;
}

/** Number of events that are rendered in one turn of the event loop. */
export const EVENTS_AT_ONCE = 250;

/** Programs that analyse the archive of a cluster look for this name. */
const CONTROLLER_LOGS = 'controller_logs.tar.gz';

/** Returns the collected logs of a cluster, with those of the controller first. */
export function collectedLogs(cluster: ClusterDocument, hosts: readonly HostDocument[]): readonly CollectedLog[] {
  const name = safe(cluster.name);
  const logs: CollectedLog[] = [];
  const controller = cluster._log_digests['controller'];
  if (controller)
    logs.push({
      source: 'controller',
      key: 'controller',
      digest: controller,
      collectedAt: cluster.controller_logs_collected_at,
      fileName: `${name}_${CONTROLLER_LOGS}`,
    });
  for (const host of hosts) {
    const digest = host._logs_digest ?? cluster._log_digests[host.id];
    if (!digest) continue;
    const role = host.bootstrap ? 'bootstrap' : host.role;
    const hostName = safe(host.requested_hostname || host._reported_hostname || host.id);
    const fileName = `${[name, role, hostName].filter(Boolean).join('_')}.tar.gz`;
    const isTaken = logs.some((log) => log.fileName === fileName);
    logs.push({
      source: host.id,
      key: hostKeyOf(host.infra_env_id, host.id),
      digest,
      collectedAt: host.logs_collected_at,
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

/** Stands for the content of a manifest of a user, which may contain secrets. Bundles are passed on. */
const OMITTED_MANIFEST = Buffer.from(
  '# The content is omitted because it may contain secrets. GET /v2/clusters/{cluster_id}/manifests/files returns it.\n',
);

/**
 * The archive for analysing an installation: events, state of the cluster, its manifests, and collected logs. It exists
 * before the first upload too. Files have the names of assisted-service v2 (`PrepareClusterLogFile` in
 * `internal/cluster/cluster.go`): the logs of a host are in an archive of their own. Unlike there, the content of
 * documents of users is omitted.
 */
@Injectable()
export class LogBundle {
  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    @Inject(LOGS) private readonly areas: ObjectAreas,
    private readonly clusters: ClusterViews,
    private readonly commands: Commands,
    private readonly scopes: EventScopes,
    private readonly turns: RenderTurns,
  ) {}

  async create(
    clusterId: string,
    logs: readonly CollectedLog[],
    caller: Caller | undefined,
    context: CommandContext,
  ): Promise<Readable> {
    const stored = await this.areas.area(clusterId);
    const entries: TarEntry[] = [
      { name: 'cluster_events.json', open: () => this.events(clusterId, caller) },
      {
        name: 'cluster_metadata.json',
        open: async () => streamOf(await this.clusters.textWithoutDocuments(clusterId)),
      },
      ...(await this.manifests(clusterId, context)),
    ];
    const bytesOf = new Map<string, number>();
    for await (const { digest, bytes } of stored.list()) bytesOf.set(digest, bytes);
    for (const { source, fileName, digest } of logs) {
      const bytes = bytesOf.get(digest);
      if (bytes === undefined) continue;
      const open = async (): Promise<SizedStream | undefined> => {
        const stream = await stored.open(digest);
        return stream && { bytes, stream };
      };
      if (source === 'controller') entries.push({ name: CONTROLLER_LOGS, open });
      else entries.push(inArchive(fileName.replace(/\.gz$/, ''), { name: fileName, open }));
    }
    return createTar(entries);
  }

  /** All categories in chronological order, with the members that the events API omits. */
  private async events(clusterId: string, caller: Caller | undefined): Promise<SizedStream> {
    const query = { collection: COLLECTIONS.events, where: { cluster_id: clusterId } };
    const events = await collect(findAll<EventDocument>(this.readModels, query));
    const showsOrigin = await this.scopes.originsShownTo(caller, events);
    const pages: (readonly string[])[] = [];
    for (let at = 0; at < events.length; at += EVENTS_AT_ONCE)
      pages.push(
        await this.turns.run(() => [
          events
            .slice(at, at + EVENTS_AT_ONCE)
            .map((event) => eventText(event, showsOrigin(event)))
            .join(',\n'),
        ]),
      );
    return streamOf(jsonList(pages));
  }

  private async manifests(clusterId: string, context: CommandContext): Promise<readonly TarEntry[]> {
    const input = { clusterId, includeSystemGenerated: true };
    const listed = await unlessRefused(this.commands.send(IgnitionService.method.listManifests, input, context));
    return (listed?.manifests ?? []).map(({ folder, fileName, source }) => {
      const isOfUser = source === 'user';
      return {
        name: `cluster_manifest_${isOfUser ? 'user-supplied' : 'system-generated'}_${folder}_${fileName}`,
        open: () =>
          isOfUser ? Promise.resolve(OMITTED_MANIFEST) : this.manifest({ clusterId, folder, fileName }, context),
      };
    });
  }

  /** Undefined when the manifest was removed. */
  private async manifest(
    place: { readonly clusterId: string; readonly folder: string; readonly fileName: string },
    context: CommandContext,
  ): Promise<Buffer | undefined> {
    const read = await unlessRefused(this.commands.send(IgnitionService.method.readManifest, place, context));
    return read && Buffer.from(read.content, 'base64');
  }
}

/** A bundle without manifests is better than none. */
async function unlessRefused<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RefusalError) return undefined;
    throw error;
  }
}

const eventText = (event: EventDocument, withOrigin: boolean): string =>
  JSON.stringify({ ...presentEvent(event, { withOrigin }), category: event.category, request_id: event.request_id });
