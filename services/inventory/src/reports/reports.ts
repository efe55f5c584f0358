import { STREAM_OWNERS, eventCategory } from '@muster/contracts';
import {
  type CommandContext,
  type CommandHandler,
  createCommandHandler,
  ownedEventStore,
  type Stored,
} from '@muster/event-sourcing';
import { EVENT_STORE, CLOCK, IDS, type MusterEventStore } from '@muster/nest-kit';
import type { Clock, Ids } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { type InventoryCommand, inventoryDecider, type ReportedState } from './inventory.decider';

const HOST_KEY = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The `inventory-<host>` streams, ready to be commanded. */
@Injectable()
export class Reports {
  private readonly handler: CommandHandler<ReportedState, InventoryCommand>;

  constructor(@Inject(EVENT_STORE) eventStore: MusterEventStore, @Inject(CLOCK) clock: Clock, @Inject(IDS) ids: Ids) {
    this.handler = createCommandHandler({
      category: eventCategory('inventory'),
      decider: inventoryDecider,
      store: ownedEventStore(eventStore, 'inventory', STREAM_OWNERS),
      clock,
      ids,
    });
  }

  /** What the host reported last, and where its stream stands. Throws RefusalError when the key names no host. */
  async load(hostKey: string): Promise<{ readonly state: ReportedState } & Stored> {
    if (!HOST_KEY.test(hostKey))
      throw new RefusalError({
        code: 'invalid-input',
        reason: `"${hostKey.slice(0, 100)}" does not name a host; give <infra-env id>.<host id>.`,
        subject: 'hostKey',
      });
    return this.handler.load(hostKey);
  }

  command(hostKey: string, command: InventoryCommand, context: CommandContext): Promise<Stored> {
    return this.handler.execute(hostKey, command, context);
  }
}
