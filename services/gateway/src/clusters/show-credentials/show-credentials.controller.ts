import { Controller, Get } from '@nestjs/common';
import { type ClusterDocument, record, type Static, text } from '@muster/assisted-api';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts, OnlyRoles } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Id } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';
import { Artifacts } from '../artifacts';

const CONSOLE_OPERATOR = 'console';
const ADMINISTRATOR = 'kubeadmin';

const V2_CREDENTIALS = record('credentials', { username: text(), password: text(), console_url: text() });
type V2Credentials = Static<typeof V2_CREDENTIALS>;

@Controller('v2/clusters/:cluster_id/credentials')
export class ShowCredentialsController {
  constructor(
    private readonly clusters: ClusterViews,
    private readonly artifacts: Artifacts,
  ) {}

  @Get()
  @Answers('Shows how an administrator logs in.', V2_CREDENTIALS, { isEarlyAtTimes: true })
  @OnlyRoles('user')
  @Accepts('userAuth')
  async handle(@Id('cluster_id') clusterId: string, @Context() context: CommandContext): Promise<V2Credentials> {
    const cluster = await this.clusters.document(clusterId);
    const consoleUrl = consoleUrlOf(cluster);
    const password = await this.artifacts.read(clusterId, 'kubeadmin-password', context);
    return { username: ADMINISTRATOR, password: password.toString('utf8').trimEnd(), console_url: consoleUrl };
  }
}

/** Empty when the cluster has no console. Throws RefusalError `not-ready` while it is not up: nobody could log in. */
function consoleUrlOf(cluster: ClusterDocument): string {
  const console = cluster.monitored_operators.find(({ name }) => name === CONSOLE_OPERATOR);
  if (cluster.monitored_operators.length > 0 && !console) return '';
  if (console?.status !== 'available') {
    throw new RefusalError({
      code: 'not-ready',
      reason: `The console of cluster ${cluster.id} is not available yet; ask again when the installation is finalized.`,
    });
  }
  return `https://console-openshift-console.apps.${cluster.name}.${cluster.base_dns_domain ?? ''}`;
}
