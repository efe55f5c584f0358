import { COLLECTIONS } from '@muster/assisted-api';
import { EventsService, hostKeyOf, IgnitionService, RegistrationService } from '@muster/contracts';
import { BoundedMap, type CommandContext } from '@muster/event-sourcing';
import {
  callService,
  CLOCK,
  type InputOf,
  type Method,
  type OutputOf,
  RequestLogEntry,
  REQUESTS,
} from '@muster/nest-kit';
import type { Clock, Requests } from '@muster/ports';
import { type ProblemCode, type Refusal, RefusalError } from '@muster/problems';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { SchemaViolation } from '../http/request.pipes';
import { GatewayReadModels } from '../views/documents';
import { READ_OR_REFUSE_MAX_WAIT_MS, ReadYourWrites } from './read-your-writes';

const { method } = RegistrationService;

interface RecordedRefusal {
  /** Name of the event in the v2 API. */
  readonly name: string;
  /** Name of the event property that contains the reason. */
  readonly reasonAs: 'error' | 'message';
}

/**
 * Commands whose refusal is recorded in the event log with its reason, because users wait for their effect. The
 * registration service itself records why a host could not join a cluster automatically.
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

/** Commands that change the inputs of validations, roles and statuses. Their responses show the new results. */
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

/** Commands whose responses show what they created, and which would be `not-found` without it. */
const CREATING: ReadonlySet<Method> = new Set<Method>([method.registerCluster, method.registerInfraEnv]);

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

/** Minimum time before the same refusal of the same host is recorded again, in milliseconds. */
const REPEAT_MS = 60 * 60_000;
/**
 * Number of refusals that are stored to detect repetitions. Above it, the oldest is removed and may be recorded again.
 */
const REMEMBERED_MAX = 10_000;
/** Refusals that do not concern the state of the resource are not recorded. */
const NOT_RECORDED: readonly ProblemCode[] = ['not-found', 'busy', 'unavailable', 'internal', 'too-many-requests'];

/** Codes after which the event of a command may be stored, or may be stored later. */
const OUTCOME_UNKNOWN: readonly ProblemCode[] = ['busy', 'unavailable', 'internal'];

/** Whether the error shows that a command stored no event, and will store none. */
export const isRefused = (error: unknown): boolean =>
  error instanceof SchemaViolation || (error instanceof RefusalError && !OUTCOME_UNKNOWN.includes(error.refusal.code));

/** The command context of a request, with the means to report in its response that a wait ended early. */
export interface RequestContext extends CommandContext {
  /** Called when the response does not wait longer for the effects of the command. */
  readonly endedEarly?: () => void;
}

/** Sends requests to the service that decides on them. */
@Injectable()
export class Commands {
  private readonly logger = new Logger('gateway');
  private readonly reportedAtMs = new BoundedMap<string, number>(REMEMBERED_MAX);

  constructor(
    private readonly readModels: GatewayReadModels,
    @Inject(REQUESTS) private readonly requests: Requests,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  /**
   * Sends a request. A refusal of a command in RECORDED is recorded in the event log as well.
   * @throws RefusalError
   */
  async send<M extends Method>(command: M, input: InputOf<M>, context: CommandContext): Promise<OutputOf<M>> {
    try {
      return await callService(this.requests, command, input, context);
    } catch (error) {
      // The caller does not wait for the event log, so its response is independent of the log.
      if (error instanceof RefusalError) void this.record(command, subjectOf(input), error.refusal, context);
      throw error;
    }
  }

  /**
   * Sends a command and waits until the read models contain its result, so that users can read their own changes. After
   * a change of settings this includes the validations, roles and statuses that follow. A response header reports a
   * wait that ended early.
   * @throws RefusalError; `busy` without sending the command while the read models are rebuilt, because the response would be an error,
   * and `busy` for a new resource that the read models do not contain in time
   */
  async execute<M extends Method>(command: M, input: InputOf<M>, context: RequestContext): Promise<OutputOf<M>> {
    await this.readModels.requireComplete();
    const subject = subjectOf(input);
    const concerned = REEVALUATED.has(command) ? await this.concernedBy(command, subject) : undefined;
    const reply = await this.send(command, input, context);
    const position = positionOf(reply);
    if (position === undefined) return reply;
    const isComplete = concerned
      ? await this.readYourWrites.reevaluated(position, concerned)
      : await this.readYourWrites.passed(position, CREATING.has(command) ? READ_OR_REFUSE_MAX_WAIT_MS : undefined);
    if (!isComplete && CREATING.has(command))
      throw new RefusalError({
        code: 'busy',
        reason: `${subject.clusterId || subject.infraEnvId} is registered but cannot be shown yet. Read it in a few seconds, or repeat the request with the same Idempotency-Key.`,
      });
    if (!isComplete) context.endedEarly?.();
    return reply;
  }

  /**
   * Returns the ids of the clusters and hosts whose validations and statuses the command may change, before it is sent: a host may
   * leave its cluster. The id of an infra-env without a cluster stands for its hosts and their clusters.
   */
  private async concernedBy(command: Method, { clusterId, infraEnvId, hostId }: Subject): Promise<readonly string[]> {
    if (!hostId) {
      const infraEnv = clusterId ? undefined : await this.readModels.get(COLLECTIONS.infraEnvs, infraEnvId);
      return [clusterId || infraEnv?.cluster_id || infraEnvId];
    }
    const key = hostKeyOf(infraEnvId, hostId);
    const host = await this.readModels.get(COLLECTIONS.hosts, key);
    const clusters = [...new Set([clusterId, host?.cluster_id ?? ''])].filter(Boolean);
    return clusters.length === 0 || command === method.unbindHost ? [...clusters, key] : clusters;
  }

  private async record(command: Method, subject: Subject, refusal: Refusal, context: CommandContext): Promise<void> {
    const recorded = RECORDED.get(command);
    if (!recorded) return;
    const { name, reasonAs } = recorded;
    const { infraEnvId, hostId, clusterId } = subject;
    const key = [name, hostId ? [infraEnvId, hostId] : clusterId || infraEnvId, refusal.code].join(' ');
    if (!this.isNewRefusal(key, refusal)) return;
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
      this.reportedAtMs.delete(key);
      const text = `${name} of ${hostId || clusterId || infraEnvId} was not recorded: ${String(error)}`;
      this.logger.warn(new RequestLogEntry(text, context));
    }
  }

  private isNewRefusal(key: string, { code }: Refusal): boolean {
    if (NOT_RECORDED.includes(code)) return false;
    const nowMs = this.clock.nowMs();
    const reportedAtMs = this.reportedAtMs.get(key);
    if (reportedAtMs !== undefined && nowMs - reportedAtMs < REPEAT_MS) return false;
    this.reportedAtMs.set(key, nowMs);
    return true;
  }

  /** Returns the name of a known host; `{}` for an unknown host. */
  private async hostName({ infraEnvId, hostId }: Subject): Promise<{ readonly host_name?: string }> {
    if (!infraEnvId || !hostId) return {};
    const host = await this.readModels.get(COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId));
    return host ? { host_name: String(host['requested_hostname'] ?? host['_reported_hostname'] ?? hostId) } : {};
  }
}

/** Returns the position in the reply of a command that stores events. */
function positionOf(reply: object): number | undefined {
  if (!('stored' in reply)) return undefined;
  const { stored } = reply;
  return typeof stored === 'object' && stored !== null && 'position' in stored && typeof stored.position === 'number'
    ? stored.position
    : undefined;
}

/** Reads the files of an installation. */
@Injectable()
export class Artifacts {
  constructor(private readonly commands: Commands) {}

  /** @throws RefusalError `not-ready` when the file does not exist yet. */
  async read(clusterId: string, name: string, context: CommandContext, withoutSecrets = false): Promise<Buffer> {
    const input = { clusterId, name, withoutSecrets };
    const { content } = await this.commands.send(IgnitionService.method.readArtifact, input, context);
    return Buffer.from(content, 'base64');
  }

  /** Returns undefined when the file does not exist. */
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
