import { randomUUID } from 'node:crypto';
import {
  agentSubject,
  type HostKey,
  InventoryService,
  type MusterEvent,
  hostKeyOf,
  parseAgentSubject,
  streamIdOf,
  subjectOfMethod,
  toStoredData,
  ValidationService,
} from '@muster/contracts';
import {
  clusterDecider,
  type ClusterState,
  hostDecider,
  type HostState,
  infraEnvDecider,
  type InfraEnvState,
} from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import {
  callService,
  type InputOf,
  type Method,
  type OutputOf,
  type Platform,
  startMicroservice,
} from '@muster/nest-kit';
import { type EventStore, type JsonObject, type RecordedEvent, START_OF_STORE, type StreamId } from '@muster/ports';
import { eventually, type ManualClock, manualClock } from '@muster/testing';
import { openTestPlatform, type TestPlatform } from '@muster/testing/platform';
import type { Type } from '@nestjs/common';
import { AppModule } from './app.module';
import { RegistrationProcess } from './reactions/registration-process';

type InventoryReport = InputOf<typeof InventoryService.method.recordReport>;
type Running = Awaited<ReturnType<typeof startMicroservice>>;

/** The service on a real bus, with an in-memory store and a test clock. The test answers for the inventory service. */
export class RunningRegistration {
  readonly store: EventStore;
  readonly reports: InventoryReport[] = [];
  readonly cleared: string[] = [];
  private readonly nudges: string[] = [];
  readonly log: string[] = [];
  /** Streams whose appends fail, as with a full disk. */
  readonly brokenStreams = new Set<string>();
  readonly platform: Platform;
  /** Position of the last outcomes, as the validation service would report it. */
  evaluatedPosition = START_OF_STORE;
  /** Answers the next question for outcomes instead, with the position of those that it stores. */
  evaluation: (() => Promise<number>) | undefined;
  /** The time since which hosts can poll and report; undefined while they cannot. */
  reachableFromMs: number | undefined = -Infinity;
  private running: Running | undefined;
  private refusal: JsonObject | undefined;

  private constructor(
    private readonly opened: TestPlatform,
    readonly clock: ManualClock,
  ) {
    const { eventStore, requests } = opened;
    this.store = eventStore;
    this.platform = {
      ...opened,
      eventStore: { ...eventStore, append: (...given) => this.appendUnlessBroken(...given) },
      reachableSinceMs: () => this.reachableFromMs ?? clock.nowMs(),
    };
    requests.subscribe(subjectOfMethod(InventoryService.method.recordReport), async ({ body }): Promise<JsonObject> => {
      this.reports.push(body as unknown as InventoryReport);
      return this.refusal ? { refusal: this.refusal } : { ok: { stored: { position: 7, revision: 0 } } };
    });
    requests.subscribe(subjectOfMethod(InventoryService.method.clearReport), async ({ body }) => {
      this.cleared.push((body as unknown as InventoryReport).hostKey);
      return { ok: {} };
    });
    requests.subscribe(subjectOfMethod(ValidationService.method.awaitEvaluation), async () => {
      const evaluate = this.evaluation;
      this.evaluation = undefined;
      return { ok: { position: (await evaluate?.()) ?? this.evaluatedPosition } };
    });
    requests.subscribe('agent.v1.*.*.nudge', ({ subject }) => void this.nudges.push(subject));
  }

  private async appendUnlessBroken(...given: Parameters<EventStore['append']>): ReturnType<EventStore['append']> {
    if (this.brokenStreams.has(given[0])) throw new Error(`${given[0]} cannot be written`);
    return this.store.append(...given);
  }

  static async start(environment: Platform['environment'] = {}): Promise<RunningRegistration> {
    const clock = manualClock();
    const ids = { uuid: () => randomUUID() };
    const running = new RunningRegistration(
      await openTestPlatform({ environment, clock, ids, publishesEvents: true }),
      clock,
    );
    await running.startService();
    return running;
  }

  async stop(): Promise<void> {
    await this.stopService();
    await this.opened.close();
  }

  async startService(): Promise<void> {
    const write = (...words: unknown[]): void => void this.log.push(words.map(String).join(' '));
    this.running = await startMicroservice('registration', AppModule.on(this.platform), this.platform, {
      log: write,
      error: write,
      warn: write,
    });
  }

  async stopService(): Promise<void> {
    await this.running?.close();
    this.running = undefined;
  }

  async restart(): Promise<void> {
    await this.stopService();
    await this.startService();
  }

  /** Resolves when all reactions to stored events have run or are paused. */
  async settled(): Promise<void> {
    const process = this.running?.app.get(RegistrationProcess, { strict: false });
    for (let head = NaN; head !== (await this.store.head());) {
      head = await this.store.head();
      await process?.followed(head);
    }
  }

  /** Holds the next append to the stream. `held` resolves when it has arrived; `release` lets it through. */
  holdAppend(streamId: string): { readonly held: Promise<void>; readonly release: () => void } {
    const append = this.store.append.bind(this.store);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let arrive = (): void => undefined;
    const held = new Promise<void>((resolve) => (arrive = resolve));
    const spy = jest.spyOn(this.store, 'append').mockImplementation(async (...given) => {
      if (given[0] !== streamId) return append(...given);
      spy.mockRestore();
      arrive();
      await released;
      return append(...given);
    });
    return { held, release };
  }

  /** Makes the inventory service refuse reports. Undefined: it accepts them again. */
  inventoryRefuses(refusal: JsonObject | undefined): void {
    this.refusal = refusal;
  }

  /** Returns a part of the running service. */
  part<Part>(type: Type<Part>): Part {
    if (!this.running) throw new Error('The service is not running.');
    return this.running.app.get(type, { strict: false });
  }

  async ask<M extends Method>(method: M, input: Partial<InputOf<M>>, context?: CommandContext): Promise<OutputOf<M>> {
    const answer = await callService(this.platform.requests, method, input as InputOf<M>, context ?? asUser());
    await this.settled();
    return answer;
  }

  /** Appends events of another service, or events that this service stored before a crash. */
  async append(streamId: string, ...events: readonly LooseEvent[]): Promise<void> {
    const stored = await this.events(streamId);
    const metadata = {
      commandId: randomUUID(),
      correlationId: 'played',
      actor: 'played',
      occurredAt: new Date(this.clock.nowMs()).toISOString(),
    };
    const toAppend = events.map(({ type, data, commandId }) => ({
      id: randomUUID(),
      type,
      data: toStoredData({ type, data } as unknown as MusterEvent) as JsonObject,
      metadata: { ...metadata, commandId: commandId ?? metadata.commandId },
    }));
    await this.store.append(streamId as StreamId, stored.length - 1, toAppend);
    if (this.running) await this.settled();
  }

  /** The types of the events of each append of the host. */
  async appendsOf(key: HostKey): Promise<readonly string[]> {
    const appends = new Map<string, string[]>();
    for (const { type, metadata } of await this.events(streamIdOf('host', key)))
      appends.set(metadata.commandId, [...(appends.get(metadata.commandId) ?? []), type]);
    return [...appends.values()].map((types) => types.join(' '));
  }

  async events(streamId: string): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const page of this.store.readStream(streamId as StreamId)) events.push(...page);
    return events;
  }

  async allEvents(): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const page of this.store.readAll(-1)) events.push(...page);
    return events;
  }

  async types(streamId: string): Promise<string[]> {
    return (await this.events(streamId)).map(({ type }) => type);
  }

  async host(key: HostKey): Promise<HostState> {
    return fold(hostDecider, await this.events(streamIdOf('host', key)));
  }

  async cluster(id: string): Promise<ClusterState> {
    return fold(clusterDecider, await this.events(streamIdOf('cluster', id)));
  }

  async infraEnv(id: string): Promise<InfraEnvState> {
    return fold(infraEnvDecider, await this.events(streamIdOf('infraEnv', id)));
  }

  async statuses(...keys: readonly HostKey[]): Promise<string[]> {
    return (await Promise.all(keys.map((key) => this.host(key)))).map(({ status }) => status);
  }

  /**
   * Returns the hosts that received a wake-up since the last call, in order. The messages of one publisher arrive in
   * order, so a marker message ends the wait.
   */
  async nudgedHosts(): Promise<HostKey[]> {
    const end = agentSubject('end', randomUUID(), 'nudge');
    this.platform.requests.publish(end, {});
    await eventually('the bus has delivered', () => this.nudges.includes(end));
    const subjects = this.nudges.splice(0).filter((subject) => subject !== end);
    return subjects.map((subject) => {
      const { infraEnvId = '', hostId = '' } = parseAgentSubject(subject) ?? {};
      return hostKeyOf(infraEnvId, hostId);
    });
  }
}

export interface LooseEvent {
  readonly type: MusterEvent['type'];
  readonly data: object;
  readonly commandId?: string;
}

export const asUser = (commandId: string = randomUUID()): CommandContext => ({
  commandId,
  correlationId: `because-of-${commandId}`,
  actor: 'user:alice',
  org: 'org-1',
  user: 'alice',
});

function fold<State>(
  decider: { initialState(): State; evolve(state: State, event: never): State },
  events: readonly RecordedEvent[],
): State {
  return events.reduce(
    (state, { type, data }) => decider.evolve(state, { type, data } as never),
    decider.initialState(),
  );
}
