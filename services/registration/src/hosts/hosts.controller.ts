import { hostKeyOf, InventoryService, RegistrationService } from '@muster/contracts';
import { type HostCommand, type HostState, isDay2, measurementOfValidation } from '@muster/domain';
import type { CommandContext, StoredReply } from '@muster/event-sourcing';
import { callService, Handles, type InputOf, type OutputOf, REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { controlPlaneCountOf } from '@muster/validation-rules';
import { Controller, Inject } from '@nestjs/common';
import { BusCredentials } from '../agents/host-bus';
import { NextSteps } from '../agents/next-steps';
import { StepFailures } from '../agents/step-failures';
import { StepReplies } from '../agents/step-replies';
import { Aggregates } from '../aggregates';
import { ClusterProcess } from '../clusters/cluster-process';
import { CONFIG, type RegistrationConfig } from '../config';
import { HostBinding, HostRegistration } from './host-registration';
import { HostRevision } from './host-revision';

const { method } = RegistrationService;

/**
 * Maximum length of the text about a stage, in characters. Installers report the whole error of a command. The status info with it has at
 * most 2,040 bytes.
 */
const PROGRESS_INFO_MAX_CHARACTERS = 2_000;
const LEFT_OUT = ' … ';
const PART_CHARACTERS = Math.floor((PROGRESS_INFO_MAX_CHARACTERS - LEFT_OUT.length) / 2);

/** A long text begins with the command that failed and ends with its last output. */
const withinLimit = (text: string): string =>
  text.length <= PROGRESS_INFO_MAX_CHARACTERS
    ? text
    : `${text.slice(0, PART_CHARACTERS)}${LEFT_OUT}${text.slice(-PART_CHARACTERS)}`.toWellFormed();

interface HostId {
  readonly infraEnvId: string;
  readonly hostId: string;
}

/** Message handlers for hosts: requests of their agents and of users. */
@Controller()
export class HostsController {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    @Inject(REQUESTS) private readonly requests: Requests,
    private readonly aggregates: Aggregates,
    private readonly registration: HostRegistration,
    private readonly revision: HostRevision,
    private readonly binding: HostBinding,
    private readonly steps: NextSteps,
    private readonly replies: StepReplies,
    private readonly failures: StepFailures,
    private readonly busCredentials: BusCredentials,
    private readonly clusters: ClusterProcess,
  ) {}

  @Handles(method.registerHost)
  async register(
    request: InputOf<typeof method.registerHost>,
    context: CommandContext,
  ): Promise<OutputOf<typeof method.registerHost>> {
    return { stored: await this.registration.register(request, context), agentVersion: this.config.images.agent };
  }

  @Handles(method.nextSteps)
  nextSteps(request: InputOf<typeof method.nextSteps>): Promise<OutputOf<typeof method.nextSteps>> {
    return this.steps.plan(request);
  }

  @Handles(method.replyToStep)
  async replyToStep(request: InputOf<typeof method.replyToStep>, context: CommandContext): Promise<StoredReply> {
    return { stored: await this.replies.handle(request, context) };
  }

  @Handles(method.reportHostProgress)
  async reportProgress(
    request: InputOf<typeof method.reportHostProgress>,
    context: CommandContext,
  ): Promise<StoredReply> {
    const { state } = await this.aggregates.hosts.load(hostKeyOf(request.infraEnvId, request.hostId));
    const cluster = state.clusterId ? (await this.aggregates.clusters.load(state.clusterId)).state : undefined;
    const command = {
      type: 'ReportProgress',
      at: this.aggregates.now(),
      stage: request.stage,
      info: withinLimit(request.progressInfo),
      controlPlaneCount: controlPlaneCountOf(cluster?.settings),
      isKubeApi: false,
    } as const;
    return this.handle(request, command, context);
  }

  @Handles(method.recordHostLogs)
  recordLogs(request: InputOf<typeof method.recordHostLogs>, context: CommandContext): Promise<StoredReply> {
    const { logsState, body } = request;
    return this.handle(request, { type: 'RecordLogs', at: this.aggregates.now(), logsState, body }, context);
  }

  @Handles(method.reviseHost)
  async revise(request: InputOf<typeof method.reviseHost>, context: CommandContext): Promise<StoredReply> {
    return { stored: await this.revision.revise(request, context) };
  }

  @Handles(method.bindHost)
  async bind(request: InputOf<typeof method.bindHost>, context: CommandContext): Promise<StoredReply> {
    return { stored: await this.binding.bind(request, context) };
  }

  @Handles(method.unbindHost)
  async unbind(request: InputOf<typeof method.unbindHost>, context: CommandContext): Promise<StoredReply> {
    return { stored: await this.binding.unbind(request, context) };
  }

  /** Like the installation of a cluster, it does not start on a status from before a change. */
  @Handles(method.installHost)
  async install(request: InputOf<typeof method.installHost>, context: CommandContext): Promise<StoredReply> {
    const key = hostKeyOf(request.infraEnvId, request.hostId);
    const { state, position } = await this.aggregates.hosts.load(key);
    const isReady = isDay2(state) && state.status === 'known';
    if (isReady) await this.clusters.settled(state.clusterId, position);
    const installerImage = this.config.images.installer;
    const command = { type: 'InstallHost', at: this.aggregates.now(), installerImage } as const;
    let isChanged = false;
    const commands = (current: () => HostState): readonly HostCommand[] => {
      isChanged = isReady && current().inputsRevision !== state.inputsRevision;
      return isChanged ? [] : [command];
    };
    const stored = await this.aggregates.hosts.execute(key, commands, context);
    return isChanged ? this.install(request, context) : { stored };
  }

  @Handles(method.resetHost)
  reset(request: InputOf<typeof method.resetHost>, context: CommandContext): Promise<StoredReply> {
    const reason = 'A user requested the reset of the host';
    return this.handle(request, { type: 'RequireReset', at: this.aggregates.now(), reason, scope: 'host' }, context);
  }

  /** Discards the measurement on which the validation is based, so that the host measures again. */
  @Handles(method.resetHostValidation)
  async resetValidation(
    { infraEnvId, hostId, validationId = '' }: InputOf<typeof method.resetHostValidation>,
    context: CommandContext,
  ): Promise<OutputOf<typeof method.resetHostValidation>> {
    const hostKey = hostKeyOf(infraEnvId, hostId);
    const { state } = await this.aggregates.hosts.load(hostKey);
    const measurement = measurementOfValidation(validationId, state, hostId);
    if (measurement.kind === 'refused') throw new RefusalError(measurement.refusal);
    const request = { hostKey, stepType: measurement.stepType, generation: state.generation };
    const cleared = await callService(this.requests, InventoryService.method.clearReport, request, context);
    this.failures.forgotten(hostKey, measurement.stepType);
    return cleared;
  }

  @Handles(method.issueBusCredentials)
  issueBusCredentials(
    request: InputOf<typeof method.issueBusCredentials>,
  ): Promise<OutputOf<typeof method.issueBusCredentials>> {
    return this.busCredentials.issue(request);
  }

  @Handles(method.deregisterHost)
  deregister(request: InputOf<typeof method.deregisterHost>, context: CommandContext): Promise<StoredReply> {
    return this.handle(request, { type: 'Deregister', at: this.aggregates.now() }, context);
  }

  private async handle(
    { infraEnvId, hostId }: HostId,
    command: HostCommand,
    context: CommandContext,
  ): Promise<StoredReply> {
    const key = hostKeyOf(infraEnvId, hostId);
    return { stored: await this.aggregates.hosts.execute(key, command, context) };
  }
}
