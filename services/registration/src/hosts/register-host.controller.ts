import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates, storedOrThrow } from '../aggregates/aggregates';
import { hostKeyOf, type MusterEvent } from '@muster/contracts';
import { isIntruder } from '@muster/domain';
import { RefusalError } from '@muster/problems';
import { Inject } from '@nestjs/common';
import { CONFIG, type RegistrationConfig } from '../config';
import { Presence } from '../process/presence';
import { RegistrationView } from '../process/registration-view';
import { whyClusterTakesNoHost } from './cluster-admission';
import { diskLabel } from './disk-label';

@Controller()
export class RegisterHostController {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly presence: Presence,
  ) {}

  @Handles(RegistrationService.method.registerHost)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.registerHost>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.registerHost>> {
    const key = hostKeyOf(request.infraEnvId, request.hostId);
    const infraEnv = (await this.aggregates.infraEnvs.load(request.infraEnvId)).state;
    if (infraEnv.status !== 'registered') {
      throw new RefusalError({
        code: 'not-found',
        reason: `There is no infra-env ${request.infraEnvId}; boot from a current image.`,
        subject: 'infra_env_id',
      });
    }
    if (infraEnv.settings.imageType === 'disconnected-iso') {
      throw new RefusalError({
        code: 'invalid-input',
        reason: 'Hosts of a disconnected image do not register here.',
        subject: 'infra_env_id',
      });
    }
    const host = (await this.aggregates.hosts.load(key)).state;
    const clusterId = host.status === 'unregistered' ? (infraEnv.settings.clusterId ?? '') : host.clusterId;
    const cluster = clusterId ? (await this.aggregates.clusters.load(clusterId)).state : undefined;
    const isDay2 = cluster?.kind === 'AddHostsCluster';
    const isSingleNode = cluster?.settings.controlPlaneCount === 1 && !isDay2;
    const result = await this.aggregates.hosts.handle(
      key,
      {
        type: 'Register',
        at: this.aggregates.now(),
        infraEnvId: request.infraEnvId,
        hostId: request.hostId,
        clusterId,
        kind: isDay2 ? 'AddToExistingClusterHost' : 'Host',
        role: isDay2 ? 'worker' : isSingleNode ? 'master' : 'auto-assign',
        bootstrap: isSingleNode,
        machineConfigPoolName: isDay2 ? 'worker' : '',
        owner: infraEnv.owner,
        agentVersion: request.discoveryAgentVersion,
        machine: request.machine,
        knownMachineSeenAt: this.presence.lastSeenAt(key),
        clusterAcceptsHosts: !cluster || whyClusterTakesNoHost(cluster, clusterId) === undefined,
        installationDisk: diskLabel(this.view.host(key)),
      },
      context,
    );
    const stored = storedOrThrow(result);
    if (request.machine && isIntruder(result.state, request.machine)) {
      throw new RefusalError({
        code: 'identity-conflict',
        reason: `Another live machine is host ${request.hostId} already; give one of them another board serial or infra-env.`,
        subject: 'host_id',
      });
    }
    if (cluster && result.kind === 'stored' && wasPreparing(result.events)) {
      const command = {
        type: 'UndoPreparation',
        at: this.aggregates.now(),
        reason: 'A host registered again while it was being prepared',
      } as const;
      await this.aggregates.clusters.handle(clusterId, command, {
        ...context,
        commandId: `${context.commandId}/preparation`,
      });
    }
    await this.presence.seen(key);
    return { stored, agentVersion: this.config.images.agent };
  }
}

/** The host kept its inventory: it was being prepared when it registered again. */
const wasPreparing = (events: readonly MusterEvent[]): boolean =>
  events.some((event) => event.type === 'HostReregistered' && event.data.inventoryKept);
