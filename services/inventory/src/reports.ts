import { eventCategory, parseEvent, parseHostKey, STREAM_OWNERS } from '@muster/contracts';
import { FINISHED_HOSTS } from '@muster/domain';
import {
  type CommandContext,
  type CommandHandler,
  createCommandHandler,
  eventSubject,
  ownedEventStore,
  type Stored,
} from '@muster/event-sourcing';
import { type InventoryCommand, inventoryDecider, isPartial, type ReportedState } from '@muster/inventory';
import { CLOCK, EVENT_STORE, IDS, type MusterEventStore, OBJECT_STORE, REQUESTS, SECRETS } from '@muster/nest-kit';
import { type Clock, type Ids, KeyedQueue, type ObjectStore, type Requests, type Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { textAt } from '@muster/schema';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';

const HOST_KEY = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Documents of a report. They are stored before the event that refers to them. */
export interface Attachments {
  readonly body: string;
  readonly secretName: string;
  readonly secret: string;
}

/** Maximum number of appends of one report: 128 KiB each, for a report of 8 MiB. */
const PARTS_MAX = 128;
const NOTHING: Attachments = { body: '', secretName: '', secret: '' };

/** Writes the `inventory-<host>` streams. */
@Injectable()
export class Reports implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly handler: CommandHandler<ReportedState, InventoryCommand>;
  /** The parts of a later report of the host wait for those of the earlier one, so that the later report stays in force. */
  private readonly inParts = new KeyedQueue();
  private hosts: { unsubscribe(): void } | undefined;

  constructor(
    @Inject(EVENT_STORE) eventStore: MusterEventStore,
    @Inject(OBJECT_STORE) private readonly objectStore: ObjectStore,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(CLOCK) clock: Clock,
    @Inject(IDS) ids: Ids,
    @Inject(REQUESTS) private readonly requests: Requests,
  ) {
    this.handler = createCommandHandler({
      category: eventCategory('inventory'),
      decider: inventoryDecider,
      store: ownedEventStore(eventStore, 'inventory', STREAM_OWNERS),
      clock,
      ids,
    });
  }

  onApplicationBootstrap(): void {
    this.hosts = this.requests.subscribe(eventSubject('host'), ({ body }) => this.forgetFinished(body));
  }

  onApplicationShutdown(): void {
    this.hosts?.unsubscribe();
  }

  /**
   * Records the report when it differs from the last one of its kind.
   * @throws RefusalError `invalid-input` when the host key is not valid
   */
  async record(
    hostKey: string,
    type: string,
    data: object,
    attachments: Attachments,
    context: CommandContext,
  ): Promise<Stored> {
    const command = { type: 'RecordReport', event: parseEvent('inventory', type, data) } as const;
    return type === 'ConnectivityReported'
      ? this.inParts.run(hostKey, () => this.recordParts(hostKey, command, attachments, context))
      : this.handle(hostKey, command, attachments, context);
  }

  /** A report about many hosts is stored in several appends. */
  private async recordParts(
    hostKey: string,
    command: InventoryCommand,
    attachments: Attachments,
    context: CommandContext,
  ): Promise<Stored> {
    let stored = await this.handle(hostKey, command, attachments, context);
    for (let part = 1; part < PARTS_MAX; part += 1) {
      if (!isPartial((await this.handler.load(hostKey)).state)) break;
      stored = await this.handle(hostKey, command, NOTHING, { ...context, commandId: `${context.commandId}#${part}` });
    }
    return stored;
  }

  /** Discards the last report of a step. */
  clear(hostKey: string, stepType: string, generation: number, context: CommandContext): Promise<Stored> {
    return this.handle(hostKey, { type: 'ClearReport', stepType, generation }, NOTHING, context);
  }

  /**
   * The state of a host in a large cluster has an entry for each other host, so it leaves memory with the last report. Live copies of
   * events may be lost. Then it leaves memory later, as the least recently used one.
   */
  private forgetFinished(event: unknown): void {
    const status = textAt(event, 'type') === 'HostEnteredStatus' ? textAt(event, 'data', 'status') : undefined;
    const isFinished = textAt(event, 'type') === 'HostDeregistered' || FINISHED_HOSTS.includes(status ?? '');
    const [, key = ''] = /^host-(.+)$/.exec(textAt(event, 'streamId') ?? '') ?? [];
    if (isFinished) this.handler.forget(key);
  }

  private async handle(
    hostKey: string,
    command: InventoryCommand,
    attachments: Attachments,
    context: CommandContext,
  ): Promise<Stored> {
    if (!HOST_KEY.test(hostKey))
      throw new RefusalError({
        code: 'invalid-input',
        reason: `hostKey "${hostKey.slice(0, 100)}" is not valid. Expected: <infra-env id>.<host id>.`,
        subject: 'hostKey',
      });
    const keep = (): Promise<void> => this.keep(hostKey, attachments);
    // A body is stored under its digest. A secret replaces the one before, so the command is decided first.
    return this.handler.execute(hostKey, command, context, attachments.secretName ? keep : { replacesNothing: keep });
  }

  private async keep(hostKey: string, { body, secretName, secret }: Attachments): Promise<void> {
    if (secretName) await this.secrets.seal(parseHostKey(hostKey).infraEnvId, secretName, Buffer.from(secret));
    if (!body) return;
    const bytes = Buffer.from(body);
    await this.objectStore.put(bytes, bytes.length);
  }
}
