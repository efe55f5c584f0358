import { RegistrationService } from '@muster/contracts';
import {
  type ClusterCommand,
  clusterFollowUps,
  clusterPermits,
  type ClusterState,
  controlPlaneHostsOf,
  mergeClusterSettings,
  truncateUtf8,
} from '@muster/domain';
import { type CommandContext, type StoredReply, TEXT_CHARACTERS_MAX } from '@muster/event-sourcing';
import { Handles, type InputOf } from '@muster/nest-kit';
import { KeyedQueue } from '@muster/ports';
import { Controller, Inject } from '@nestjs/common';
import { Aggregates } from '../aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import { GivenDocuments, GivenProxies, NO_OWNER, pullSecretToSeal, SealingCommands } from '../sealed-secrets';
import { RegistrationView } from '../view/registration-view';
import { ClusterActions } from './cluster-actions';
import { conditionsOf } from './cluster-process';
import { clusterKindOf, completedChanges, operatorInput, requireIgnorable } from './cluster-input';

const { method } = RegistrationService;

/** Message handlers for clusters. */
@Controller()
export class ClustersController {
  private readonly revisions = new KeyedQueue();

  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly actions: ClusterActions,
    private readonly proxies: GivenProxies,
    private readonly documents: GivenDocuments,
    private readonly sealing: SealingCommands,
    private readonly view: RegistrationView,
  ) {}

  @Handles(method.registerCluster)
  async register(request: InputOf<typeof method.registerCluster>, context: CommandContext): Promise<StoredReply> {
    const { clusterId, settings: given = {}, owner = NO_OWNER, pullSecret, openshiftClusterId, imported } = request;
    const { proxy, toSeal } = await this.proxies.split(clusterId, given.proxy);
    const settings = { ...given, proxy };
    const operators = operatorInput(settings, request.operatorBundles, settings, this.config.operatorSettings);
    const at = this.aggregates.now();
    const command = {
      type: 'Register',
      at,
      clusterId,
      kind: clusterKindOf(request.kind),
      settings: operators ? { ...settings, olmOperators: operators.choices } : settings,
      owner,
      pullSecretSet: pullSecret !== '',
      olmOperators: operators?.monitored ?? [],
      openshiftClusterId,
      imported,
      requestedArchitecture: request.requestedArchitecture,
    } as const;
    const secrets = [...pullSecretToSeal(pullSecret), ...toSeal];
    // Outcomes that depend only on the settings are stored with the registration.
    const commands = function* (current: () => ClusterState): Generator<ClusterCommand> {
      yield command;
      const conditions = conditionsOf({ state: current(), outcomes: new Map() });
      const evaluatedRevision = current().inputsRevision;
      yield* clusterFollowUps(current(), { hosts: [], conditions, evaluatedRevision, hasKubeconfig: false }, at);
    };
    const { clusters } = this.aggregates;
    return { stored: await this.sealing.handle(clusters, clusterId, commands, secrets, context, true) };
  }

  /** Changes are completed from the present settings, so a revision of the same cluster waits until the one before is stored. */
  @Handles(method.reviseCluster)
  revise(request: InputOf<typeof method.reviseCluster>, context: CommandContext): Promise<StoredReply> {
    return this.revisions.run(request.clusterId, () => this.reviseInTurn(request, context));
  }

  private async reviseInTurn(
    request: InputOf<typeof method.reviseCluster>,
    context: CommandContext,
  ): Promise<StoredReply> {
    const { clusterId, pullSecret, operatorBundles } = request;
    requireIgnorable(request.changes ?? {});
    const { settings, status } = (await this.aggregates.clusters.load(clusterId)).state;
    // The hosts of an installed cluster are not in memory, and its features cannot be changed.
    const hosts = clusterPermits('edit', status) ? this.view.hostsOf(clusterId) : [];
    const given = completedChanges(request, settings);
    const { proxy, toSeal } = await this.proxies.split(clusterId, given.proxy, settings.proxy);
    const overrides = await this.documents.ofCluster(request);
    const changes = { ...given, proxy, ...overrides.changes };
    const merged = mergeClusterSettings(settings, changes);
    const operators = operatorInput(changes, operatorBundles, merged, this.config.operatorSettings);
    const command = {
      type: 'Revise',
      at: this.aggregates.now(),
      changes: operators ? { ...changes, olmOperators: operators.choices } : changes,
      pullSecretReplaced: Boolean(pullSecret),
      olmOperators: operators?.monitored,
      imageArchitectures: this.view.imageArchitecturesOf(clusterId),
      controlPlaneHosts: controlPlaneHostsOf(hosts.map(({ state }) => state)),
    } as const;
    const secrets = [...pullSecretToSeal(pullSecret), ...toSeal, ...overrides.toSeal];
    return { stored: await this.sealing.handle(this.aggregates.clusters, clusterId, command, secrets, context) };
  }

  @Handles(method.deregisterCluster)
  async deregister(
    { clusterId }: InputOf<typeof method.deregisterCluster>,
    context: CommandContext,
  ): Promise<StoredReply> {
    return { stored: await this.actions.deregister(clusterId, context) };
  }

  @Handles(method.installCluster)
  async install({ clusterId }: InputOf<typeof method.installCluster>, context: CommandContext): Promise<StoredReply> {
    return { stored: await this.actions.install(clusterId, context) };
  }

  @Handles(method.cancelInstallation)
  async cancel(
    { clusterId }: InputOf<typeof method.cancelInstallation>,
    context: CommandContext,
  ): Promise<StoredReply> {
    return { stored: await this.actions.cancel(clusterId, context) };
  }

  @Handles(method.resetCluster)
  async reset({ clusterId }: InputOf<typeof method.resetCluster>, context: CommandContext): Promise<StoredReply> {
    return { stored: await this.actions.reset(clusterId, context) };
  }

  @Handles(method.allowAddHosts)
  allowAddHosts({ clusterId }: InputOf<typeof method.allowAddHosts>, context: CommandContext): Promise<StoredReply> {
    return this.handle(clusterId, { type: 'AllowAddHosts', at: this.aggregates.now() }, context);
  }

  @Handles(method.reachFinalizingStage)
  reachFinalizingStage(
    { clusterId, stage }: InputOf<typeof method.reachFinalizingStage>,
    context: CommandContext,
  ): Promise<StoredReply> {
    return this.handle(clusterId, { type: 'ReachFinalizingStage', at: this.aggregates.now(), stage }, context);
  }

  @Handles(method.reportOperatorStatus)
  reportOperatorStatus(
    { clusterId, name, status, statusInfo, version }: InputOf<typeof method.reportOperatorStatus>,
    context: CommandContext,
  ): Promise<StoredReply> {
    const at = this.aggregates.now();
    const shown = truncateUtf8(statusInfo, TEXT_CHARACTERS_MAX);
    const command = { type: 'ReportOperatorStatus', at, name, status, statusInfo: shown, version } as const;
    return this.handle(clusterId, command, context);
  }

  @Handles(method.recordClusterLogs)
  recordLogs(
    { clusterId, body, logsType, hostId, logsState }: InputOf<typeof method.recordClusterLogs>,
    context: CommandContext,
  ): Promise<StoredReply> {
    const report = body
      ? ({ kind: 'collected', logsType, hostId, body } as const)
      : ({ kind: 'state', logsState } as const);
    return this.handle(clusterId, { type: 'RecordLogs', at: this.aggregates.now(), report }, context);
  }

  private async handle(clusterId: string, command: ClusterCommand, context: CommandContext): Promise<StoredReply> {
    return { stored: await this.aggregates.clusters.execute(clusterId, command, context) };
  }
}
