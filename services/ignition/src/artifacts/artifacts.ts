import { STREAM_OWNERS, eventCategory } from '@muster/contracts';
import { type ArtifactCommand, artifactDecider, type ArtifactsState } from '@muster/domain';
import {
  type CommandContext,
  type CommandHandler,
  createCommandHandler,
  ownedEventStore,
} from '@muster/event-sourcing';
import { EVENT_STORE, CLOCK, IDS, type MusterEventStore } from '@muster/nest-kit';
import type { Clock, Ids } from '@muster/ports';
import { Inject, Injectable } from '@nestjs/common';

/** Command handler of the `artifact-<cluster>` streams. */
@Injectable()
export class Artifacts {
  readonly of: CommandHandler<ArtifactsState, ArtifactCommand>;

  constructor(@Inject(EVENT_STORE) eventStore: MusterEventStore, @Inject(CLOCK) clock: Clock, @Inject(IDS) ids: Ids) {
    const store = ownedEventStore(eventStore, 'ignition', STREAM_OWNERS);
    this.of = createCommandHandler({
      category: eventCategory('artifact'),
      decider: artifactDecider,
      store,
      clock,
      ids,
    });
  }
}

/** Context of a command that the service issues itself. The same command id makes a repeated command a no-op. */
export function ownContext(commandId: string, cause: Omit<CommandContext, 'commandId'>): CommandContext {
  return { ...cause, commandId, correlationId: cause.correlationId || commandId, actor: 'service:ignition' };
}
