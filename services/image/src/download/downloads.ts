import { STREAM_OWNERS, eventCategory } from '@muster/contracts';
import { randomUUID } from 'node:crypto';
import { type CommandHandler, createCommandHandler, ownedEventStore } from '@muster/event-sourcing';
import { EVENT_STORE, CLOCK, IDS, type MusterEventStore } from '@muster/nest-kit';
import type { Clock, Ids } from '@muster/ports';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type DownloadsCommand, downloadsDecider, type DownloadsState } from './downloads.decider';

/** Remembers downloads. No download waits for that, and none fails because of it. */
@Injectable()
export class Downloads implements OnApplicationShutdown {
  private readonly logger = new Logger('image');
  private readonly handler: CommandHandler<DownloadsState, DownloadsCommand>;
  private readonly pending = new Set<Promise<void>>();

  constructor(@Inject(EVENT_STORE) eventStore: MusterEventStore, @Inject(CLOCK) clock: Clock, @Inject(IDS) ids: Ids) {
    const store = ownedEventStore(eventStore, 'image', STREAM_OWNERS);
    this.handler = createCommandHandler({
      category: eventCategory('image'),
      decider: downloadsDecider,
      store,
      clock,
      ids,
    });
  }

  record(command: DownloadsCommand, sourceAddress: string): void {
    const commandId = randomUUID();
    const context = { commandId, correlationId: commandId, actor: 'service:image', sourceAddress };
    const work = this.handler.handle(command.infraEnvId, command, context).then(
      () => undefined,
      (error: unknown) => this.logger.warn(`${command.type} was not recorded: ${String(error)}`),
    );
    this.pending.add(work);
    void work.then(() => this.pending.delete(work));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.pending);
  }
}
