import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Controller, Get } from '@nestjs/common';
import {
  type ClusterDocument,
  type HostDocument,
  PastQuery,
  presentCluster,
  V2_CLUSTER,
  type V2Cluster,
} from '@muster/assisted-api';
import { EventsService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, QueryOf } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';
import { HostViews } from '../../views/host-views';
import { OWN_API } from '../muster-api';

const unpacked = promisify(gunzip);
/** Of one answer of the events service, unpacked. */
const PAST_MAX_BYTES = 256 * 1024 * 1024;

/** A cluster and its hosts as they were at a moment of the past. */
@Controller(`${OWN_API}/clusters/:cluster_id`)
export class ShowPastClusterController {
  constructor(
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
    private readonly hosts: HostViews,
  ) {}

  @Get()
  @Answers('Shows a cluster and its hosts as they were at a moment of the past.', V2_CLUSTER)
  @Accepts('userAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @QueryOf(PastQuery) { at }: PastQuery,
    @Context() context: CommandContext,
  ): Promise<V2Cluster> {
    if (at === undefined) return this.clusters.show(clusterId);
    // Whoever may see it now may see what it was.
    await this.clusters.document(clusterId);
    const { documents } = await this.commands.ask(EventsService.method.readPast, { clusterId, at }, context);
    const text = await unpacked(Buffer.from(documents, 'base64'), { maxOutputLength: PAST_MAX_BYTES });
    const past = JSON.parse(text.toString()) as { cluster: ClusterDocument; hosts: HostDocument[] };
    const hosts = past.hosts.map((host) => this.hosts.presentPast(host, past.cluster.control_plane_count));
    return presentCluster(past.cluster, await Promise.all(hosts), past.hosts);
  }
}
