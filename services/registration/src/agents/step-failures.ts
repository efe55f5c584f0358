import { EventsService, type HostKey, hostKeyOf, type RegistrationService } from '@muster/contracts';
import { type HostState, shownError } from '@muster/domain';
import { BoundedMap } from '@muster/event-sourcing';
import { callService, CLOCK, type InputOf, REQUESTS } from '@muster/nest-kit';
import type { Clock, Requests } from '@muster/ports';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Aggregates } from '../aggregates';
import { RegistrationView } from '../view/registration-view';

const REMEMBERED_MAX = 100_000;
const REPEAT_MS = 60 * 60_000;
const REASON_CHARS_MAX = 500;
/** Parts of a reason that differ each time: numbers, and the ids of containers and hosts. */
const VARYING = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{8,}\b|\d+/gi;

interface Recorded {
  readonly generation: number;
  readonly kind: string;
  readonly atMs: number;
  /** The inventory service has not recorded it. */
  readonly isUnreported?: true;
}

const NOTHING_RECORDED: Recorded = { generation: 0, kind: '', atMs: 0 };
const placeOf = (key: HostKey, stepType: string): string => `${key} ${stepType}`;

type Failure = Pick<InputOf<typeof RegistrationService.method.replyToStep>, 'stepType' | 'exitCode' | 'error'>;

/** Records in the event log why a step failed, for example because the machine lacks a program. */
@Injectable()
export class StepFailures {
  private readonly logger = new Logger('registration');
  private readonly recorded = new BoundedMap<string, Recorded>(REMEMBERED_MAX);

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(REQUESTS) private readonly requests: Requests,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
  ) {}

  /**
   * Records a failed step. Repetitions are recorded once an hour until the step succeeds, also when numbers and ids in
   * their reason differ. Does not wait for the log. Returns the reason when the inventory service has to record it.
   */
  note(host: HostState, { stepType, exitCode, error }: Failure): string | undefined {
    const { hostId, infraEnvId, clusterId, generation, requestedHostname } = host;
    const key = hostKeyOf(infraEnvId, hostId);
    const reason = shownError(error.trim(), REASON_CHARS_MAX) || `exit code ${exitCode}`;
    const place = placeOf(key, stepType);
    if (!this.isNews(place, generation, reason)) return this.isUnreported(place) ? reason : undefined;
    const hostName = requestedHostname || this.view.host(key)?.hardware?.hostname || hostId;
    const note = {
      name: 'host_step_failed',
      severity: 'warning',
      category: 'user',
      message: `The step ${stepType} of host ${hostName} failed: ${reason}`,
      clusterId,
      hostId,
      infraEnvId,
      props: {
        host_id: hostId,
        infra_env_id: infraEnvId,
        ...(clusterId && { cluster_id: clusterId }),
        host_name: hostName,
        step_type: stepType,
        reason,
      },
    };
    const context = this.aggregates.ownContext({ state: host });
    callService(this.requests, EventsService.method.recordNote, { note }, context).catch((failure: unknown) => {
      this.forgotten(key, stepType);
      this.logger.warn(`The failed step ${stepType} of host ${hostId} was not recorded: ${String(failure)}`);
    });
    return reason;
  }

  /** The step succeeded, or its failure was discarded. The next one is recorded. Returns whether a failure was known. */
  forgotten(key: HostKey, stepType: string): boolean {
    return this.recorded.delete(placeOf(key, stepType));
  }

  /** The inventory service did not record the failure. `note` returns the reason again when it is repeated. */
  unreported(key: HostKey, stepType: string): void {
    const known = this.recorded.get(placeOf(key, stepType));
    if (known) this.recorded.set(placeOf(key, stepType), { ...known, isUnreported: true });
  }

  /** The failure is reported again. */
  private isUnreported(place: string): boolean {
    const { isUnreported = false, ...known } = this.recorded.get(place) ?? NOTHING_RECORDED;
    if (isUnreported) this.recorded.set(place, known);
    return isUnreported;
  }

  private isNews(place: string, generation: number, reason: string): boolean {
    const known = this.recorded.get(place);
    const kind = reason.replace(VARYING, '#');
    const atMs = this.clock.nowMs();
    const isRepetition = known?.generation === generation && known.kind === kind;
    if (isRepetition && atMs - known.atMs < REPEAT_MS) return false;
    this.recorded.set(place, { generation, kind, atMs });
    return true;
  }
}
