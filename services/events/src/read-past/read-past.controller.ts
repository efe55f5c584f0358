import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { EventsService } from '@muster/contracts';
import {
  EVENT_STORE,
  Handles,
  type InputOf,
  type MusterEventStore,
  type OutputOf,
  READ_MODELS,
} from '@muster/nest-kit';
import { KeyedQueue, type ReadModels, TurnShare } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Controller, Inject } from '@nestjs/common';
import { CONFIG, type EventsConfig } from '../config';
import { createProjectEvent } from '../views/views-projection';
import { PAST_TIME, pastEvents, pastViews } from './past-views';

type Method = typeof EventsService.method.readPast;
const packed = promisify(gzip);

/** Returns the state of a cluster at an earlier time. It replays the events until then. */
@Controller()
export class ReadPastController {
  /** Reads that run or wait. Callers repeat a request that takes long, and the repetition gets the same answer. */
  private readonly running = new Map<string, Promise<OutputOf<Method>>>();
  /** By cluster. A read holds the events of its cluster in memory, and a slider of a page requests many times concurrently. */
  private readonly turns = new KeyedQueue();
  /** All reads together. */
  private readonly time = new TurnShare(PAST_TIME);

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: MusterEventStore,
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    @Inject(CONFIG) private readonly config: EventsConfig,
  ) {}

  /**
   * @throws RefusalError `invalid-input` when the time is not valid, `not-found` when the cluster did not exist at that
   * time
   */
  @Handles(EventsService.method.readPast)
  async handle({ clusterId, at }: InputOf<Method>): Promise<OutputOf<Method>> {
    const atMs = Date.parse(at);
    if (Number.isNaN(atMs))
      throw new RefusalError({ code: 'invalid-input', reason: 'The time is not valid.', subject: 'at' });
    const key = `${clusterId} ${atMs}`;
    const running = this.running.get(key);
    if (running) return running;
    const read = this.turns.run(clusterId, () => this.read(clusterId, atMs)).finally(() => this.running.delete(key));
    this.running.set(key, read);
    return read;
  }

  private async read(clusterId: string, atMs: number): Promise<OutputOf<Method>> {
    const stores = { eventStore: this.eventStore, readModels: this.readModels };
    const { events, compactedUntil } = await pastEvents(clusterId, atMs, stores, this.time);
    const project = createProjectEvent(this.config.machineLimits);
    const { cluster, hosts } = await pastViews(clusterId, events, project, this.time);
    if (!cluster) {
      const reason = `Cluster ${clusterId.slice(0, 64)} did not exist at ${new Date(atMs).toISOString()}.`;
      throw new RefusalError({ code: 'not-found', reason, subject: 'at' });
    }
    return {
      documents: (await packed(JSON.stringify({ cluster, hosts, compacted_until: compactedUntil }))).toString('base64'),
    };
  }
}
