import { hostKeyOf, type MusterEvent, type RegistrationService } from '@muster/contracts';
import {
  architectureRefusal,
  clusterAdmissionRefusal,
  clusterPermits,
  type HostCommand,
  hostFeatureRefusal,
  type HostState,
  type InfraEnvState,
  initialHost,
  installationDiskLabel,
  isOtherMachine,
  placementIn,
} from '@muster/domain';
import type { CommandContext, Stored } from '@muster/event-sourcing';
import type { InputOf } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { Injectable } from '@nestjs/common';
import { Presence } from '../agents/presence';
import { Aggregates } from '../aggregates';
import { RegistrationView } from '../view/registration-view';

type HostResult = Awaited<ReturnType<Aggregates['hosts']['handle']>>;
type Request = InputOf<typeof RegistrationService.method.registerHost>;

/** Registers a host when its agent starts, for the first time or again. */
@Injectable()
export class HostRegistration {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly presence: Presence,
  ) {}

  async register(request: Request, context: CommandContext): Promise<Stored> {
    const key = hostKeyOf(request.infraEnvId, request.hostId);
    const infraEnv = await this.infraEnvOrThrow(request.infraEnvId);
    // Without an event about it in the view, the host is new, and its stream is not read.
    const isNew = this.view.isLive && !this.view.host(key);
    const first = isNew ? initialHost() : (await this.aggregates.hosts.load(key)).state;
    const { clusterId, result } = await this.registerIn(clusterOf(first, infraEnv), infraEnv, request, context);
    if (result.kind === 'refused') throw new RefusalError(result.refusal);
    refuseClaimant(result.state, request);
    if (clusterId && wasPreparing(result.events)) await this.undoPreparation(clusterId, context);
    await this.presence.seen(key);
    return { position: result.position, revision: result.revision };
  }

  /** Registers the host in its cluster. Repeats it with the other cluster when the host was bound or unbound meanwhile. */
  private async registerIn(
    clusterId: string,
    infraEnv: InfraEnvState,
    request: Request,
    context: CommandContext,
  ): Promise<{ readonly clusterId: string; readonly result: HostResult }> {
    const key = hostKeyOf(request.infraEnvId, request.hostId);
    const cluster = clusterId ? (await this.aggregates.clusters.load(clusterId)).state : undefined;
    let current = clusterId;
    const commands = (state: () => HostState): readonly HostCommand[] => {
      const host = state();
      current = clusterOf(host, infraEnv);
      if (current !== clusterId) return [];
      const command = {
        type: 'Register',
        at: this.aggregates.now(),
        infraEnvId: request.infraEnvId,
        hostId: request.hostId,
        clusterId,
        ...placementIn(cluster),
        owner: infraEnv.owner,
        agentVersion: request.discoveryAgentVersion,
        machine: request.machine,
        knownMachineSeenAt: this.presence.lastSeenAt(key),
        clusterAcceptsHosts: !cluster || clusterAdmissionRefusal(cluster, clusterId) === undefined,
        clusterIsInstalling: clusterPermits('record-progress', cluster?.status ?? ''),
        installationDisk: installationDiskLabel(host, this.view.host(key)?.hardware),
      } as const;
      return [command];
    };
    const result = await this.aggregates.hosts.handle(key, commands, context);
    return current === clusterId ? { clusterId, result } : this.registerIn(current, infraEnv, request, context);
  }

  private async infraEnvOrThrow(infraEnvId: string): Promise<InfraEnvState> {
    const { state } = await this.aggregates.infraEnvs.load(infraEnvId);
    if (state.status !== 'registered') {
      throw new RefusalError({
        code: 'not-found',
        reason: `Infra-env ${infraEnvId} does not exist. Boot the host from a current image.`,
        subject: 'infra_env_id',
      });
    }
    if (state.settings.imageType === 'disconnected-iso') {
      throw new RefusalError({
        code: 'invalid-input',
        reason: 'The image type of this infra-env is disconnected-iso. Its hosts do not register with this service.',
        subject: 'infra_env_id',
      });
    }
    return state;
  }

  private async undoPreparation(clusterId: string, context: CommandContext): Promise<void> {
    const at = this.aggregates.now();
    const command = { type: 'UndoPreparation', at, reason: REGISTERED_WHILE_PREPARING } as const;
    const own = { ...context, commandId: `${context.commandId}/preparation` };
    await this.aggregates.clusters.handle(clusterId, command, own);
  }
}

/** Only a new host joins the cluster of its infra-env. Later it may have been bound to another one. */
const clusterOf = (host: HostState, infraEnv: InfraEnvState): string =>
  host.status === 'unregistered' ? (infraEnv.settings.clusterId ?? '') : host.clusterId;

const REGISTERED_WHILE_PREPARING = 'A host registered again while it was being prepared';

function refuseClaimant(host: HostState, { hostId, machine }: Request): void {
  if (!machine || !isOtherMachine(host, machine)) return;
  throw new RefusalError({
    code: 'identity-conflict',
    reason: `Another live machine is registered as host ${hostId}. Give one of them another board serial number or infra-env.`,
    subject: 'host_id',
  });
}

/** Whether the host was being prepared. Then it keeps its inventory at its registration. */
const wasPreparing = (events: readonly MusterEvent[]): boolean =>
  events.some((event) => event.type === 'HostReregistered' && event.data.inventoryKept);

/** Binds hosts to clusters and unbinds them. */
@Injectable()
export class HostBinding {
  constructor(private readonly aggregates: Aggregates) {}

  async bind(
    { infraEnvId, hostId, clusterId }: InputOf<typeof RegistrationService.method.bindHost>,
    context: CommandContext,
  ): Promise<Stored> {
    const { state: cluster } = await this.aggregates.clusters.load(clusterId);
    const refusal = clusterAdmissionRefusal(cluster, clusterId);
    // The cluster id is an input of this request, not its resource.
    if (refusal) throw new RefusalError(refusal.code === 'not-found' ? { ...refusal, code: 'invalid-input' } : refusal);
    const { settings: ofImage } = (await this.aggregates.infraEnvs.load(infraEnvId)).state;
    const mismatch = architectureRefusal(ofImage.cpuArchitecture ?? '', cluster.settings.cpuArchitecture ?? '');
    if (mismatch) throw new RefusalError(mismatch);
    const key = hostKeyOf(infraEnvId, hostId);
    const { role, settings } = (await this.aggregates.hosts.load(key)).state;
    const choice = { role, hasFencingCredentials: settings.fencingCredentialsSet ?? false };
    const unsupported = hostFeatureRefusal(choice, cluster);
    if (unsupported) throw new RefusalError({ ...unsupported, subject: 'cluster_id' });
    const command = { type: 'Bind', at: this.aggregates.now(), clusterId } as const;
    return this.aggregates.hosts.execute(key, command, context);
  }

  async unbind(
    { infraEnvId, hostId, reclaim }: InputOf<typeof RegistrationService.method.unbindHost>,
    context: CommandContext,
  ): Promise<Stored> {
    const { settings } = (await this.aggregates.infraEnvs.load(infraEnvId)).state;
    if (settings.clusterId) {
      throw new RefusalError({
        code: 'not-allowed-in-state',
        reason: 'The host cannot be unbound because its infra-env is bound to the cluster. Delete the host instead.',
        subject: 'infra_env_id',
      });
    }
    const at = this.aggregates.now();
    const command: HostCommand = reclaim ? { type: 'Reclaim', at } : { type: 'Unbind', at, byUser: true };
    return this.aggregates.hosts.execute(hostKeyOf(infraEnvId, hostId), command, context);
  }
}
