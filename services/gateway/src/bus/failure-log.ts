import { Inject, Injectable, Logger } from '@nestjs/common';
import { COLLECTIONS } from '@muster/assisted-api';
import { EventsService, hostKeyOf } from '@muster/contracts';
import { type CommandContext, BoundedMap } from '@muster/event-sourcing';
import { callService, READ_MODELS, REQUESTS, CLOCK } from '@muster/nest-kit';
import type { Clock, ReadModels, Requests } from '@muster/ports';
import { type ProblemCode, RefusalError } from '@muster/problems';
import type { RefusedSubject } from './refused-commands.table';

/** The same refusal of the same host is written down again after this long at the earliest. */
const REPEAT_MS = 60 * 60_000;
/** Remembered refusals; beyond it the oldest is forgotten and may be logged twice. */
const REMEMBERED_MAX = 10_000;
/** The resource or the service is missing: there is nothing to log it for. */
const NOT_ABOUT_IT: readonly ProblemCode[] = ['not-found', 'busy', 'internal', 'too-many-requests'];

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
      this.logger.warn(`${name} of ${hostId || clusterId || infraEnvId} could not be written down: ${String(error)}`);
    }
  }

  /** Name of a known host; a host whose registration was refused may be unknown. */
  private async hostName({ infraEnvId, hostId }: RefusedSubject): Promise<{ readonly host_name?: string }> {
    if (!infraEnvId || !hostId) return {};
    const host = await this.readModels.get(COLLECTIONS.hosts, hostKeyOf(infraEnvId, hostId));
    return host ? { host_name: String(host['requested_hostname'] ?? host['_reported_hostname'] ?? hostId) } : {};
  }
}
