import { Inject, Injectable, Logger } from '@nestjs/common';
import { EventsService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { callService, type Platform, PLATFORM } from '@muster/nest-kit';
import { type ProblemCode, RefusalError } from '@muster/problems';

/** The same refusal of the same host is written down again after this long at the earliest. */
const REPEAT_MS = 60 * 60_000;
/** Refusals remembered; beyond it the oldest is forgotten and may be told twice. */
const REMEMBERED_MAX = 10_000;
/** The host or its infra-env is not there, or the service is not: nothing that people could be told about a host. */
const NOT_ABOUT_A_HOST: readonly ProblemCode[] = ['not-found', 'busy', 'internal', 'too-many-requests'];

export interface RefusedHost {
  /** As in the contract's list of events. */
  readonly name: 'host_registration_failed' | 'host_bind_failed' | 'host_unbind_failed';
  readonly infraEnvId: string;
  readonly hostId: string;
  readonly clusterId?: string;
}

/** A refused request stores nothing; where people wait for a host to appear, it is written into the event log why it does not. */
@Injectable()
export class FailureNotes {
  private readonly logger = new Logger('gateway');
  private readonly toldAtMs = new Map<string, number>();

  constructor(@Inject(PLATFORM) private readonly platform: Platform) {}

  /** What `work` gives. A refusal is told, then thrown as it was. */
  async around<Result>(host: RefusedHost, context: CommandContext, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      // Not waited for: whoever asked is answered, whether or not the event log can be written to.
      if (error instanceof RefusalError && this.isNews(host, error)) void this.tell(host, error, context);
      throw error;
    }
  }

  private isNews({ name, infraEnvId, hostId }: RefusedHost, { refusal }: RefusalError): boolean {
    if (NOT_ABOUT_A_HOST.includes(refusal.code)) return false;
    const key = `${name} ${infraEnvId}.${hostId} ${refusal.code}`;
    const nowMs = this.platform.clock.nowMs();
    const toldAtMs = this.toldAtMs.get(key);
    if (toldAtMs !== undefined && nowMs - toldAtMs < REPEAT_MS) return false;
    this.toldAtMs.delete(key);
    this.toldAtMs.set(key, nowMs);
    const [oldest] = this.toldAtMs.keys();
    if (this.toldAtMs.size > REMEMBERED_MAX && oldest !== undefined) this.toldAtMs.delete(oldest);
    return true;
  }

  private async tell(host: RefusedHost, { refusal }: RefusalError, context: CommandContext): Promise<void> {
    const { name, infraEnvId, hostId, clusterId = '' } = host;
    const message = refusal.reason;
    const props = { host_id: hostId, infra_env_id: infraEnvId, ...(clusterId && { cluster_id: clusterId }), message };
    const note = { name, severity: 'error', category: 'user', message, clusterId, hostId, infraEnvId, props };
    const own = { ...context, commandId: `${context.commandId}#refused` };
    try {
      await callService(this.platform.requests, EventsService.method.recordNote, { note }, own);
    } catch (error) {
      this.logger.warn(`${name} of ${hostId} could not be written down: ${String(error)}`);
    }
  }
}
