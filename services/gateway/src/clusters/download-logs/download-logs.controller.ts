import { Controller, Get, Inject, StreamableFile } from '@nestjs/common';
import { type ClusterDocument, DownloadLogsQuery } from '@muster/assisted-api';
import { OBJECT_STORE } from '@muster/nest-kit';
import type { ObjectStore } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { AnswersFile } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Id, QueryOf } from '../../http/parameters.decorators';
import { attachment } from '../../http/attachment';
import { ClusterViews } from '../../views/cluster-views';
import { HostViews } from '../../views/host-views';
import { type CollectedLog, collectedLogs } from './collected-logs';
import { createTar } from '../../http/tar';

@Controller('v2/clusters/:cluster_id/logs')
export class DownloadLogsController {
  constructor(
    @Inject(OBJECT_STORE) private readonly objectStore: ObjectStore,
    private readonly clusters: ClusterViews,
    private readonly hosts: HostViews,
  ) {}

  @Get()
  @AnswersFile('Gives the logs that were collected: of one host, of the controller, or all in one archive.', {
    isEarlyAtTimes: true,
  })
  @Accepts('userAuth', 'urlAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @QueryOf(DownloadLogsQuery) query: DownloadLogsQuery,
  ): Promise<StreamableFile> {
    const cluster = await this.clusters.document(clusterId);
    const logs = collectedLogs(cluster, await this.hosts.documentsOfCluster(clusterId));
    if (query.logs_type === 'host') return this.one(logs, hostIdOf(query));
    if (query.logs_type === 'controller') return this.one(logs, 'controller');
    return this.bundle(cluster, logs);
  }

  private async one(logs: readonly CollectedLog[], source: string): Promise<StreamableFile> {
    const log = logs.find((collected) => collected.source === source);
    const body = log && (await this.objectStore.open(log.digest));
    if (!log || !body) throw notCollected(source);
    return attachment(body, log.fileName);
  }

  private bundle(cluster: ClusterDocument, logs: readonly CollectedLog[]): StreamableFile {
    if (logs.length === 0) throw notCollected(`cluster ${cluster.id}`);
    const entries = logs.map(({ fileName, digest }) => ({
      name: fileName,
      open: () => this.objectStore.open(digest),
    }));
    return attachment(createTar(entries), `${cluster.name}_logs.tar`);
  }
}

function hostIdOf(query: DownloadLogsQuery): string {
  if (query.host_id) return query.host_id.toLowerCase();
  throw new RefusalError({
    code: 'invalid-input',
    reason: 'host_id must be given when logs_type is host.',
    subject: 'host_id',
  });
}

const notCollected = (source: string): RefusalError =>
  new RefusalError({
    code: 'not-ready',
    reason: `No logs of ${source} have been collected yet; they arrive when an installation ends or is cancelled.`,
  });
