import { COLLECTIONS } from '@muster/assisted-api';
import { EventsService, hostKeyOf, IgnitionService, RegistrationService } from '@muster/contracts';
import { BoundedMap, type CommandContext } from '@muster/event-sourcing';
import { callService, CLOCK, type InputOf, type Method, type OutputOf, READ_MODELS, REQUESTS } from '@muster/nest-kit';
import type { Clock, ReadModels, Requests } from '@muster/ports';
import { type ProblemCode, RefusalError } from '@muster/problems';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ReadYourWrites } from './read-your-writes';

export interface RefusedSubject {
  /** As in the contract's list of events. */
  readonly name: string;
  readonly clusterId?: string;
  readonly infraEnvId?: string;
  readonly hostId?: string;
  /** Which of the event's properties is the reason. Default: message. */
  readonly reasonAs?: 'error' | 'message';
}

const { method } = RegistrationService;

/**
 * Commands whose refusal is recorded in the event log with its reason. What is refused to agents, and what brings a
 * host into a cluster, is recorded by the service that refuses it.
 */
const NAMES: ReadonlyMap<Method, string> = new Map<Method, string>([
  [method.cancelInstallation, 'cancel_installation_failed'],
  [method.resetCluster, 'reset_installation_failed'],
  [method.deregisterCluster, 'cluster_deregister_failed'],
  [method.resetHost, 'host_installation_reset_failed'],
  [method.deregisterInfraEnv, 'infra_env_deregister_failed'],
]);

/** The subject of a refusal of this command; undefined when it is not logged. */
export function refusedSubjectOf(order: Method, input: object): RefusedSubject | undefined {
  const name = NAMES.get(order);
  if (!name) return undefined;
  const { clusterId, infraEnvId, hostId } = input as Omit<RefusedSubject, 'name' | 'reasonAs'>;
  return { name, clusterId, infraEnvId, hostId, reasonAs: 'error' };
}

/** The same refusal of the same host is written down again after this long at the earliest. */
const REPEAT_MS = 60 * 60_000;
/** Remembered refusals; beyond it the oldest is forgotten and may be logged twice. */
const REMEMBERED_MAX = 10_000;
/** The resource or the service is missing: there is nothing to log it for. */
const NOT_ABOUT_IT: readonly ProblemCode[] = ['not-found', 'busy', 'unavailable', 'internal', 'too-many-requests'];

/** Records the reason of a refused request in the event log when users wait for its effect. A refused request itself stores nothing. */
@Injectable()
export class FailureLog {
  private readonly logger = new Logger('gateway');
  private readonly reportedAtMs = new BoundedMap<string, number>(REMEMBERED_MAX);

  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    @Inject(REQUESTS) private readonly requests: Requests,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** What `work` returns. A refusal is logged and thrown again. */
  async around<Result>(subject: RefusedSubject, context: CommandContext, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      // Not awaited: the caller gets its answer even when the event log is unavailable.
      if (error instanceof RefusalError && this.isNews(subject, error)) void this.tell(subject, error, context);
      throw error;
    }
  }

  private isNews({ name, clusterId, infraEnvId, hostId }: RefusedSubject, { refusal }: RefusalError): boolean {
    if (NOT_ABOUT_IT.includes(refusal.code)) return false;
    const key = [name, hostId ? [infraEnvId, hostId] : (clusterId ?? infraEnvId), refusal.code].join(' ');
    const nowMs = this.clock.nowMs();
    const reportedAtMs = this.reportedAtMs.get(key);
    if (reportedAtMs !== undefined && nowMs - reportedAtMs < REPEAT_MS) return false;
    this.reportedAtMs.set(key, nowMs);
    return true;
  }

  private async tell(subject: RefusedSubject, { refusal }: RefusalError, context: CommandContext): Promise<void> {
    const { name, infraEnvId = '', hostId = '', clusterId = '' } = subject;
    const message = refusal.reason;
    const ids = {
      ...(hostId && { host_id: hostId }),
      ...(infraEnvId && { infra_env_id: infraEnvId }),
      ...(clusterId && { cluster_id: clusterId }),
    };
    const own = { ...context, commandId: `${context.commandId}#refused` };
    try {
      const props = { ...ids, ...(await this.hostName(subject)), [subject.reasonAs ?? 'message']: message };
      const note = { name, severity: 'error', category: 'user', message, clusterId, hostId, infraEnvId, props };
      await callService(this.requests, EventsService.method.recordNote, { note }, own);
    } catch (error) {
      this.logger.warn(`${name} of ${hostId || clusterId || infraEnvId} was not recorded: ${String(error)}`);
    }
  }

  /** Name of a known host; a host whose registration was refused may be unknown. */
  private async hostName({ infraEnvId, hostId }: RefusedSubject): Promise<{ readonly host_name?: string }> {
    if (!infraEnvId || !hostId) return {};
    const host = await this.readModels.get(COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId));
    return host ? { host_name: String(host['requested_hostname'] ?? host['_reported_hostname'] ?? hostId) } : {};
  }
}

/** The way from a request to the service that decides. */
@Injectable()
export class Commands {
  constructor(
    @Inject(REQUESTS) private readonly requests: Requests,
    private readonly readYourWrites: ReadYourWrites,
    private readonly failures: FailureLog,
  ) {}

  /** Sends the command without that wait, for programs that do not read what they have just written. @throws RefusalError */
  async ask<M extends Method>(method: M, input: InputOf<M>, context: CommandContext): Promise<OutputOf<M>> {
    return callService(this.requests, method, input, context);
  }

  /** Sends the command and waits until the read models show its result, so that users see their own changes. @throws RefusalError */
  async execute<M extends Method>(method: M, input: InputOf<M>, context: CommandContext): Promise<OutputOf<M>> {
    const subject = refusedSubjectOf(method, input);
    const asked = (): Promise<OutputOf<M>> => this.ask(method, input, context);
    const reply = await (subject ? this.failures.around(subject, context, asked) : asked());
    const position = positionOf(reply);
    if (position !== undefined) await this.readYourWrites.passed(position);
    return reply;
  }
}

function positionOf(reply: object): number | undefined {
  const { stored } = reply as { readonly stored?: { readonly position?: number } };
  return stored?.position;
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
