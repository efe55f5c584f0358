import {
  type CommandContext,
  type CommandHandler,
  createCommandHandler,
  ownedEventStore,
} from '@muster/event-sourcing';
import { EVENT_STORE, CLOCK, IDS } from '@muster/nest-kit';
import type { Clock, EventStore, Ids } from '@muster/ports';
import { Inject, Injectable } from '@nestjs/common';
import { type ArtifactsCommand, artifactsDecider, type ArtifactsState } from './artifacts.decider';

/** The aggregate this service owns: what was made for a cluster. */
@Injectable()
export class Artifacts {
  readonly of: CommandHandler<ArtifactsState, ArtifactsCommand>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CLOCK) clock: Clock, @Inject(IDS) ids: Ids) {
    const store = ownedEventStore(eventStore, 'ignition');
    this.of = createCommandHandler({ category: 'ignition', decider: artifactsDecider, store, clock, ids });
  }
}

/** Commands this service gives itself: the same one for the same attempt, however often it is given. */
export function ownContext(commandId: string, cause: Omit<CommandContext, 'commandId'>): CommandContext {
  return { ...cause, commandId, correlationId: cause.correlationId || commandId, actor: 'service:ignition' };
}
