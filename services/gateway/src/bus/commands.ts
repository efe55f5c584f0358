import { COLLECTIONS } from '@muster/assisted-api';
import { EventsService, hostKeyOf, IgnitionService, RegistrationService } from '@muster/contracts';
import { BoundedMap, type CommandContext } from '@muster/event-sourcing';
import {
  callService,
  CLOCK,
  currentRequest,
  type InputOf,
  type Method,
  type OutputOf,
  READ_MODELS,
  REQUESTS,
} from '@muster/nest-kit';
import type { Clock, ReadModels, Requests } from '@muster/ports';
import { type ProblemCode, type Refusal, RefusalError } from '@muster/problems';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ReadYourWrites } from './read-your-writes';

const { method } = RegistrationService;

interface RecordedRefusal {
  /** As in the contract's list of events. */
  readonly name: string;
  /** The property of the event that has the reason. */
  readonly reasonAs: 'error' | 'message';
}

/**
 * Commands whose refusal is recorded in the event log with its reason, because users wait for their effect. What brings a host
 * into a cluster by itself is recorded by the service that refuses it.
 */
const RECORDED: ReadonlyMap<Method, RecordedRefusal> = new Map<Method, RecordedRefusal>([
  [method.cancelInstallation, { name: 'cancel_installation_failed', reasonAs: 'error' }],
  [method.resetCluster, { name: 'reset_installation_failed', reasonAs: 'error' }],
  [method.deregisterCluster, { name: 'cluster_deregister_failed', reasonAs: 'error' }],
  [method.resetHost, { name: 'host_installation_reset_failed', reasonAs: 'error' }],
  [method.deregisterInfraEnv, { name: 'infra_env_deregister_failed', reasonAs: 'error' }],
  [method.registerHost, { name: 'host_registration_failed', reasonAs: 'message' }],
  [method.bindHost, { name: 'host_bind_failed', reasonAs: 'message' }],
  [method.unbindHost, { name: 'host_unbind_failed', reasonAs: 'message' }],
]);

/** Commands that change what validations, roles and statuses depend on. Their answers show the new ones. */
const REEVALUATED: ReadonlySet<Method> = new Set<Method>([
  method.reviseCluster,
  method.reviseHost,
  method.reviseInfraEnv,
  method.bindHost,
  method.unbindHost,
  method.deregisterHost,
  method.deregisterInfraEnv,
  method.resetHostValidation,
]);

interface Subject {
  readonly clusterId: string;
  readonly infraEnvId: string;
  readonly hostId: string;
}

function subjectOf(input: object): Subject {
  const members = new Map<string, unknown>(Object.entries(input));
  const idOf = (name: string): string => {
    const id = members.get(name);
    return typeof id === 'string' ? id : '';
  };
  return { clusterId: idOf('clusterId'), infraEnvId: idOf('infraEnvId'), hostId: idOf('hostId') };
}

/** The same refusal of the same host is written down again after this long at the earliest. */
const REPEAT_MS = 60 * 60_000;
/** Remembered refusals; beyond it the oldest is forgotten and may be logged twice. */
const REMEMBERED_MAX = 10_000;
/** The resource or the service is missing: there is nothing to log it for. */
const NOT_ABOUT_IT: readonly ProblemCode[] = ['not-found', 'busy', 'unavailable', 'internal', 'too-many-requests'];

/** The way from a request to the service that decides. */
@Injectable()
export class Commands {
  private readonly logger = new Logger('gateway');
  private readonly reportedAtMs = new BoundedMap<string, number>(REMEMBERED_MAX);

  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    @Inject(REQUESTS) private readonly requests: Requests,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  /**
   * Sends the command. A refusal that users wait for is recorded in the event log as well.
   * @throws RefusalError
   */
  async ask<M extends Method>(order: M, input: InputOf<M>, context: CommandContext): Promise<OutputOf<M>> {
    try {
      return await callService(this.requests, order, input, context);
    } catch (error) {
      // Not awaited: the caller gets its answer even when the event log is unavailable.
      if (error instanceof RefusalError) void this.record(order, subjectOf(input), error.refusal, context);
      throw error;
    }
  }

  /**
   * Sends the command and waits until the read models show its result, so that users see their own changes. After a change of
   * settings that includes the validations, roles and statuses that follow from it; a header of the answer says when that took too long.
   * @throws RefusalError
   */
  async execute<M extends Method>(order: M, input: InputOf<M>, context: CommandContext): Promise<OutputOf<M>> {
    const reply = await this.ask(order, input, context);
    const position = positionOf(reply);
    if (position === undefined) return reply;
    const isComplete = REEVALUATED.has(order)
      ? await this.readYourWrites.reevaluated(position)
      : await this.readYourWrites.passed(position);
    const request = currentRequest();
    if (request && !isComplete) request.isCutShort = true;
    return reply;
  }

  private async record(order: Method, subject: Subject, refusal: Refusal, context: CommandContext): Promise<void> {
    const recorded = RECORDED.get(order);
    if (!recorded || !this.isNews(recorded.name, subject, refusal)) return;
    const { name, reasonAs } = recorded;
    const { infraEnvId, hostId, clusterId } = subject;
    const message = refusal.reason;
    const ids = {
      ...(hostId && { host_id: hostId }),
      ...(infraEnvId && { infra_env_id: infraEnvId }),
      ...(clusterId && { cluster_id: clusterId }),
    };
    const own = { ...context, commandId: `${context.commandId}#refused` };
    try {
      const props = { ...ids, ...(await this.hostName(subject)), [reasonAs]: message };
      const note = { name, severity: 'error', category: 'user', message, clusterId, hostId, infraEnvId, props };
      await callService(this.requests, EventsService.method.recordNote, { note }, own);
    } catch (error) {
      this.logger.warn(`${name} of ${hostId || clusterId || infraEnvId} was not recorded: ${String(error)}`);
    }
  }

  private isNews(name: string, { clusterId, infraEnvId, hostId }: Subject, { code }: Refusal): boolean {
    if (NOT_ABOUT_IT.includes(code)) return false;
    const key = [name, hostId ? [infraEnvId, hostId] : clusterId || infraEnvId, code].join(' ');
    const nowMs = this.clock.nowMs();
    const reportedAtMs = this.reportedAtMs.get(key);
    if (reportedAtMs !== undefined && nowMs - reportedAtMs < REPEAT_MS) return false;
    this.reportedAtMs.set(key, nowMs);
    return true;
  }

  /** Name of a known host; a host whose registration was refused may be unknown. */
  private async hostName({ infraEnvId, hostId }: Subject): Promise<{ readonly host_name?: string }> {
    if (!infraEnvId || !hostId) return {};
    const host = await this.readModels.get(COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId));
    return host ? { host_name: String(host['requested_hostname'] ?? host['_reported_hostname'] ?? hostId) } : {};
  }
}

/** The position in the reply of a command that stores events. */
function positionOf(reply: object): number | undefined {
  if (!('stored' in reply)) return undefined;
  const { stored } = reply;
  return typeof stored === 'object' && stored !== null && 'position' in stored && typeof stored.position === 'number'
    ? stored.position
    : undefined;
}

/** Files that an installation is made of. */
@Injectable()
export class Artifacts {
  constructor(private readonly commands: Commands) {}

  /** Throws RefusalError `not-ready` when the file does not exist yet. */
  async read(clusterId: string, name: string, context: CommandContext): Promise<Buffer> {
    const { content } = await this.commands.ask(IgnitionService.method.readArtifact, { clusterId, name }, context);
    return Buffer.from(content, 'base64');
  }

  /** Undefined when the file does not exist (yet). */
  async find(clusterId: string, name: string, context: CommandContext): Promise<Buffer | undefined> {
    try {
      return await this.read(clusterId, name, context);
    } catch (error) {
      if (error instanceof RefusalError && MISSING.includes(error.refusal.code)) return undefined;
      throw error;
    }
  }
}

const MISSING: readonly string[] = ['not-found', 'not-ready'];
