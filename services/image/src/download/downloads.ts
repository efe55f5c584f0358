import { randomUUID } from 'node:crypto';
import { eventCategory, type ImageEvent, STREAM_OWNERS } from '@muster/contracts';
import { accepted, type Decider, type Decision } from '@muster/decision';
import { type CommandHandler, createCommandHandler, ownedEventStore } from '@muster/event-sourcing';
import { CLOCK, EVENT_STORE, IDS, type MusterEventStore } from '@muster/nest-kit';
import type { Clock, Ids } from '@muster/ports';
import type { ProblemCode } from '@muster/problems';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';

/** State of the downloads of the images of one infra-env. */
export interface DownloadsState {
  readonly isDownloaded: boolean;
  /** Image type → the last change of the infra-env before its last complete download, in milliseconds since the epoch. */
  readonly completed: ReadonlyMap<string, number>;
}

export interface DownloadFacts {
  readonly infraEnvId: string;
  readonly imageType: string;
  readonly version: string;
  readonly arch: string;
  readonly bytes: number;
  /** When the infra-env of this image had changed last, in milliseconds since the epoch. */
  readonly changedMs: number;
}

export type DownloadsCommand =
  ({ readonly type: 'StartDownload' } & DownloadFacts) | ({ readonly type: 'CompleteDownload' } & DownloadFacts);

/**
 * Stores only the first download of an image of the infra-env, and the first complete download of each image type after each change
 * of the infra-env.
 */
export const downloadsDecider: Decider<DownloadsState, DownloadsCommand, ImageEvent, ProblemCode> = {
  initialState: () => ({ isDownloaded: false, completed: new Map() }),
  evolve,
  decide,
};

function decide(command: DownloadsCommand, state: DownloadsState): Decision<ImageEvent, ProblemCode> {
  const { infraEnvId, imageType, version, arch, bytes, changedMs } = command;
  switch (command.type) {
    case 'StartDownload':
      if (state.isDownloaded) return accepted();
      return accepted({ type: 'ImageFirstDownloaded', data: { infraEnvId, imageType, version, arch, bytes } });
    case 'CompleteDownload':
      if ((state.completed.get(imageType) ?? -1) >= changedMs) return accepted();
      return accepted({ type: 'ImageDownloadCompleted', data: { infraEnvId, imageType, bytes, changedMs } });
    default:
      return command satisfies never;
  }
}

function evolve(state: DownloadsState, event: ImageEvent): DownloadsState {
  switch (event.type) {
    case 'ImageFirstDownloaded':
      return { ...state, isDownloaded: true };
    case 'ImageDownloadCompleted':
      return { ...state, completed: new Map(state.completed).set(event.data.imageType, event.data.changedMs) };
    default:
      event satisfies never;
      return state;
  }
}

/** Records downloads. Downloads do not wait for it and do not fail because of it. */
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
