import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { VIEWS_PROJECTION } from '@muster/assisted-api';
import { RegistrationService, subjectOfMethod, ValidationService } from '@muster/contracts';
import { HEAD_BEACON, projectionSubject } from '@muster/event-sourcing';
import { Readiness, EVENT_STORE, REQUESTS, type MusterEventStore } from '@muster/nest-kit';
import { NoResponder, type Requests, RequestTimedOut, START_OF_STORE } from '@muster/ports';
import { createParser, valueOf, memberAt } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import { GatewayReadModels } from '../views/documents';

/** Maximum time that a response waits for the read models. After it the response shows their present content. */
export const READ_YOUR_WRITES_MAX_WAIT_MS = 5_000;
/**
 * The same for a response that would be an error without the read models: it shows what was just created, or it refuses
 * a request because of a status that may have changed.
 */
export const READ_OR_REFUSE_MAX_WAIT_MS = 30_000;
/**
 * Announcements of the projection may be lost, so the read models are polled at this interval while a response waits.
 */
const POLL_INTERVAL_MS = 50;
/**
 * The message of the last event may be lost, and no later event reveals the gap. After this number of polls its
 * position is published again.
 */
const POLLS_BEFORE_REMINDER = 5;

/** Maximum time by which the timelines are later than the documents, unless they are rebuilt. */
const TIMELINES_LAG_MS_MAX = 30_000;

/** Maximum time that a response waits for the reactions of other services to the change. */
const REACTION_WAIT_MS = 500;
/**
 * Each round covers one step of the longest chain: settings, host outcomes, host statuses, cluster outcomes, cluster
 * status, suggested roles.
 */
const ROUNDS_MAX = 6;
/** Each of these services reacts to events of the other. */
const REACTING = [RegistrationService.method.awaitReaction, ValidationService.method.awaitEvaluation];
const parseReaction = createParser(Type.Object({ ok: Type.Object({ position: Type.Number() }) }), { name: 'reply' });

interface Waiter {
  readonly position: number;
  readonly passed: () => void;
}

/** Follows the position of the read models and lets responses wait until they have passed a position. */
@Injectable()
export class ReadYourWrites implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private reached = START_OF_STORE;
  private readonly waiters = new Set<Waiter>();
  /** Functions that end the waiting of `movedFrom`. */
  private readonly followers = new Set<() => void>();
  private isStopping = false;
  private poll: NodeJS.Timeout | undefined;
  private looks = 0;
  private subscription: { unsubscribe(): void } | undefined;
  /** The position from which the documents are complete: the head at the start, or the position before a rebuild. */
  private required: number | undefined;
  private completed: Waiter | undefined;
  private isHeadUnknown = false;
  private lag: NodeJS.Timeout | undefined;

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    private readonly readModels: GatewayReadModels,
    @Inject(REQUESTS) private readonly requests: Requests,
    readiness: Readiness,
  ) {
    readiness.register('read models', () => this.rebuildProgress());
  }

  async onApplicationBootstrap(): Promise<void> {
    this.subscription = this.requests.subscribe(projectionSubject(VIEWS_PROJECTION), ({ body }) => {
      const position = memberAt(body, 'position');
      if (typeof position !== 'number') return;
      if (position >= this.reached) return this.advance(position);
      // An announcement that arrived late, or the projection started again without its documents.
      void this.readCheckpoint().catch(() => undefined);
    });
    this.require(await this.eventStore.head());
    this.advance(await this.readModels.checkpoint(VIEWS_PROJECTION));
  }

  // The HTTP server stops afterwards, and waits for the answers.
  beforeApplicationShutdown(): void {
    this.isStopping = true;
    for (const end of this.followers) end();
  }

  onApplicationShutdown(): void {
    this.subscription?.unsubscribe();
    clearTimeout(this.poll);
    clearTimeout(this.lag);
    for (const waiter of this.waiters) waiter.passed();
    this.waiters.clear();
  }

  /** Returns true when the read models contain all events up to the position; false after `maxWaitMs`. */
  async passed(position: number, maxWaitMs = READ_YOUR_WRITES_MAX_WAIT_MS): Promise<boolean> {
    if (position <= this.reached) return true;
    return new Promise((resolve) => {
      const giveUp = setTimeout(() => {
        this.waiters.delete(waiter);
        resolve(false);
      }, maxWaitMs);
      const waiter: Waiter = {
        position,
        passed: () => {
          clearTimeout(giveUp);
          resolve(position <= this.reached);
        },
      };
      this.waiters.add(waiter);
      this.pollWhileAwaited();
    });
  }

  /** The last position that the read models are known to have passed. */
  get position(): number {
    return this.reached;
  }

  /** The last position that the event store is known to have reached, also while the read models are rebuilt. */
  get storePosition(): number {
    return this.isHeadUnknown ? this.reached : Math.max(this.reached, this.required ?? START_OF_STORE);
  }

  /**
   * Returns true when the read models have left the position; false after `maxWaitMs`, and when the signal is aborted or the service
   * stops. Unlike `passed` it waits for an event that may not exist, so it does not look for one whose announcement was lost.
   */
  async movedFrom(position: number, maxWaitMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.reached === position && !this.isStopping && !signal.aborted)
      await new Promise<void>((resolve) => {
        const end = (): void => {
          clearTimeout(giveUp);
          signal.removeEventListener('abort', end);
          this.followers.delete(end);
          resolve();
        };
        const giveUp = setTimeout(end, maxWaitMs);
        signal.addEventListener('abort', end);
        this.followers.add(end);
      });
    return this.reached !== position && !this.isStopping;
  }

  /** Returns true when the read models contain everything that is stored now; false when that took too long. */
  async current(): Promise<boolean> {
    return this.passed(await this.eventStore.head(), READ_OR_REFUSE_MAX_WAIT_MS);
  }

  /**
   * Waits until the services have reacted to the event at the position and to the events that followed from it, and
   * until the read models contain them. Returns false when that took longer than `maxWaitMs`, or when a service did not
   * answer; then the read models contain the event itself, unless that took too long as well. `subjectIds`: the clusters, with their
   * hosts, and the hosts (<infra-env id>.<host id>) whose reactions are awaited. Empty: all of them.
   */
  async reevaluated(position: number, subjectIds: readonly string[], maxWaitMs = REACTION_WAIT_MS): Promise<boolean> {
    const isComplete = await this.reacted(position, subjectIds, maxWaitMs);
    if (!isComplete) await this.passed(position);
    return isComplete;
  }

  private async reacted(position: number, subjectIds: readonly string[], maxWaitMs: number): Promise<boolean> {
    const awaited = subjectIds.length > 0 ? subjectIds : [''];
    const questions = REACTING.flatMap((method) => awaited.map((subjectId) => ({ method, subjectId })));
    const endsAtMs = performance.now() + maxWaitMs;
    const leftMs = (): number => Math.max(1, endsAtMs - performance.now());
    let head = position;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const reached = await Promise.all(questions.map((question) => this.headAfter(question, head, leftMs())));
      if (reached.includes(undefined)) return false;
      const next = Math.max(head, ...reached.filter((found) => found !== undefined));
      if (next === head) break;
      head = next;
    }
    return this.passed(head, leftMs());
  }

  /**
   * Returns the position of the last stored event of the subject after the service has reacted; undefined when it did not answer
   * in time.
   */
  private async headAfter(
    { method, subjectId }: { readonly method: (typeof REACTING)[number]; readonly subjectId: string },
    position: number,
    timeoutMs: number,
  ): Promise<number | undefined> {
    try {
      const reply = await this.requests.request(subjectOfMethod(method), { position, subjectId }, {}, timeoutMs);
      return valueOf(parseReaction(reply))?.ok.position;
    } catch (error) {
      if (error instanceof NoResponder || error instanceof RequestTimedOut) return undefined;
      throw error;
    }
  }

  private rebuildProgress(): string | undefined {
    const { reached, required } = this;
    return required !== undefined && reached >= required
      ? undefined
      : `at position ${reached} of ${required ?? 'unknown'}`;
  }

  /** Refuses reads until the documents have reached the position. */
  private require(position: number): void {
    this.required = position;
    this.readModels.refuseReads(this.rebuildProgress());
    this.readModels.requireTimelines(position);
    clearTimeout(this.lag);
    this.lag = undefined;
    if (this.completed) this.waiters.delete(this.completed);
    this.completed = { position, passed: () => undefined };
    if (this.reached < position) this.waiters.add(this.completed);
    this.pollWhileAwaited();
  }

  /**
   * A checkpoint moves back when the projection discards its documents, and when the stores are restored from a backup. The documents
   * are complete at the present head, which can be an earlier one.
   */
  private async readCheckpoint(): Promise<void> {
    const before = this.reached;
    const position = await this.readModels.checkpoint(VIEWS_PROJECTION);
    if (position < before) {
      this.reached = position;
      this.isHeadUnknown = true;
      this.require(before);
    }
    if (this.isHeadUnknown) {
      const head = await this.eventStore.head();
      this.isHeadUnknown = false;
      this.require(head);
    }
    this.advance(position);
  }

  private advance(position: number): void {
    if (position <= this.reached) return;
    this.reached = position;
    this.readModels.refuseReads(this.rebuildProgress());
    this.expectTimelines();
    for (const end of this.followers) end();
    for (const waiter of this.waiters) {
      if (waiter.position > position) continue;
      this.waiters.delete(waiter);
      waiter.passed();
    }
  }

  /** No response waits for the timelines, so their position is later and is not announced. */
  private expectTimelines(): void {
    const position = this.reached;
    this.lag ??= setTimeout(() => {
      this.lag = undefined;
      this.readModels.requireTimelines(position);
      if (this.reached > position) this.expectTimelines();
    }, TIMELINES_LAG_MS_MAX).unref();
  }

  private farthestAwaited(): number {
    return Math.max(...[...this.waiters].map(({ position }) => position));
  }

  private pollWhileAwaited(): void {
    if (this.poll) return;
    if (this.waiters.size === 0) {
      this.looks = 0;
      return;
    }
    this.looks += 1;
    if (this.looks % POLLS_BEFORE_REMINDER === 0)
      this.requests.publish(HEAD_BEACON, { position: this.farthestAwaited() });
    this.poll = setTimeout(() => {
      this.readCheckpoint()
        // The read models are unavailable. Waiting responses end at their time limit.
        .catch(() => undefined)
        .finally(() => {
          this.poll = undefined;
          this.pollWhileAwaited();
        });
    }, POLL_INTERVAL_MS);
  }
}
