import type { InventoryEvent } from '@muster/contracts';
import {
  type CommandContext,
  type CommandHandler,
  createCommandHandler,
  ownedEventStore,
} from '@muster/event-sourcing';
import { EVENT_STORE, CLOCK, IDS } from '@muster/nest-kit';
import type { Clock, EventStore, Ids } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { type InventoryCommand, inventoryDecider, type ReportedState } from './inventory.decider';

const HOST_KEY = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Stored = { readonly position: number; readonly revision: number };

/** The `inventory-<host>` streams, ready to be commanded. */
@Injectable()
export class Reports {
  private readonly handler: CommandHandler<ReportedState, InventoryCommand>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CLOCK) clock: Clock, @Inject(IDS) ids: Ids) {
    this.handler = createCommandHandler<ReportedState, InventoryCommand, InventoryEvent>({
      category: 'inventory',
      decider: inventoryDecider,
      store: ownedEventStore(eventStore, 'inventory'),
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

  async command(hostKey: string, command: InventoryCommand, context: CommandContext): Promise<Stored> {
    const result = await this.handler.handle(hostKey, command, context);
    if (result.kind === 'refused') throw new RefusalError(result.refusal);
    return { position: result.position, revision: result.revision };
  }
}
