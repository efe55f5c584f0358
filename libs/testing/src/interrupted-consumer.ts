import { copyFileSync, existsSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import type { RecordedMusterEvent } from '@muster/contracts';
import { SavedStates, type SaveLimits } from '@muster/event-sourcing';
import { type SavedFold, StateDamaged } from '@muster/ports';
import fc from 'fast-check';

/** Nothing is saved before `save` or `close` is called. */
const NOT_BY_ITSELF: SaveLimits = { changes: 1_000_000, replayedChanges: 1_000_000, intervalMs: 3_600_000 };

/** Number of histories, unless MUSTER_PROPERTY_RUNS is set. Each opens several files. */
const RUNS = 20;

/**
 * The ways in which a consumer is interrupted: it saves, it ends and starts again, it ends without a save, it is replaced by a release with another
 * version of its state, or it starts with the first half of its file.
 */
const INTERRUPTIONS = ['save', 'restart', 'kill', 'release', 'tear'] as const;
export type Interruption = (typeof INTERRUPTIONS)[number];

/** Returns histories of these steps with interruptions. */
export const interrupted = <Step>(step: fc.Arbitrary<Step>): fc.Arbitrary<(Step | Interruption)[]> =>
  fc.array(fc.oneof({ weight: 5, arbitrary: step }, { weight: 1, arbitrary: fc.constantFrom(...INTERRUPTIONS) }), {
    maxLength: 40,
    size: 'max',
  });

/** Returns the steps without the interruptions. */
const withoutInterruptions = <Step extends object>(history: readonly (Step | Interruption)[]): readonly Step[] =>
  history.flatMap((step) => (typeof step === 'string' ? [] : [step]));

/** A consumer of events in one process. */
export interface RunningConsumer {
  /** Returns the position of the last event that the state contains. */
  position(): number;
  /** Returns what must not depend on interruptions. */
  handle(event: RecordedMusterEvent): unknown;
}

export interface InterruptedConsumer<Step extends object> {
  readonly directory: string;
  /** The name of the saved state. */
  readonly name: string;
  readonly folds: readonly SavedFold[];
  readonly histories: fc.Arbitrary<(Step | Interruption)[]>;
  readonly examples?: [(Step | Interruption)[]][];
  /** Returns one event per step. */
  readonly eventsOf: (steps: readonly Step[]) => readonly RecordedMusterEvent[];
  readonly start: (states: SavedStates, folds: readonly SavedFold[]) => Promise<RunningConsumer>;
  /** Whether the field depends on the history only, and not on what was in memory. @default true */
  readonly isDetermined?: (table: string, field: string) => boolean;
  /** Returns a text that differs when saved values differ. */
  readonly textOf: (value: Uint8Array) => string;
}

/** Opens a saved state. A save that fails without damage of the file fails the test. */
export const openSavedStates = (file: string): SavedStates =>
  new SavedStates(
    sqliteStateStore({ file }),
    inMemoryEventStore(),
    (error) => {
      if (!(error instanceof StateDamaged)) throw error;
    },
    NOT_BY_ITSELF,
  );

/** The processes of a consumer, one after the other. */
class Processes {
  private file: string;
  private releases = 0;
  private running: { readonly states: SavedStates; readonly consumer: RunningConsumer } | undefined;

  constructor(
    private readonly given: Pick<InterruptedConsumer<object>, 'name' | 'folds' | 'start' | 'isDetermined' | 'textOf'>,
    private readonly newFile: () => string,
  ) {
    this.file = newFile();
  }

  /** Handles the events that are missing. Returns the position of the first one, and what was returned for each. */
  async catchUp(events: readonly RecordedMusterEvent[]): Promise<{ from: number; returned: unknown[] }> {
    return this.whileWhole(async () => {
      const { consumer } = await this.start();
      const from = consumer.position() + 1;
      const returned: unknown[] = [];
      for (const event of events.slice(from)) returned.push(await consumer.handle(event));
      return { from, returned };
    });
  }

  async interrupt(how: Interruption): Promise<void> {
    if (how === 'save') return this.whileWhole(async () => (await this.start()).states.save());
    if (how === 'kill') return this.kill();
    await this.end();
    if (how === 'release') this.releases += 1;
    if (how === 'tear') truncateSync(this.file, statSync(this.file).size / 2);
  }

  /** Returns all saved entries, and the keys in the order of each field. */
  async saved(events: readonly RecordedMusterEvent[]): Promise<unknown> {
    return this.whileWhole(async () => {
      await this.catchUp(events);
      await (await this.start()).states.save();
      await this.end();
      const { name, folds, isDetermined = () => true, textOf } = this.given;
      const store = sqliteStateStore({ file: this.file });
      const tables = folds.flatMap((fold) => fold.tables);
      const state = await store.open({ name, tables });
      try {
        return tables.map((table) => {
          const keys = state.find(table.name, { where: {} }).map(({ key }) => key);
          const texts = keys.map((key) => [key, textOf(state.get(table.name, key) ?? new Uint8Array())]);
          const fields = table.fields.filter((field) => isDetermined(table.name, field));
          return [table.name, texts, fields.map((field) => state.find(table.name, { where: {}, orderBy: { field } }))];
        });
      } finally {
        await store.close();
      }
    });
  }

  private async start(): Promise<{ readonly states: SavedStates; readonly consumer: RunningConsumer }> {
    if (this.running) return this.running;
    const states = openSavedStates(this.file);
    const folds = this.given.folds.map((fold) => ({ ...fold, version: fold.version + this.releases }));
    this.running = { states, consumer: await this.given.start(states, folds) };
    return this.running;
  }

  private async end(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    await running?.states.close();
  }

  /** The next process has the file as it is before the changes of this process are saved. */
  private async kill(): Promise<void> {
    const file = this.newFile();
    for (const suffix of ['', '-wal'])
      if (existsSync(this.file + suffix)) copyFileSync(this.file + suffix, file + suffix);
    await this.end();
    this.file = file;
  }

  /** A process that finds damage ends. The next one discards the file. */
  private async whileWhole<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StateDamaged)) throw error;
      await this.end().catch(() => undefined);
      return work();
    }
  }
}

/** Checks for random histories that an interrupted consumer returns and saves the same as one that handles all events in one process. */
export async function expectInterruptedAsReplayed<Step extends object>(
  given: InterruptedConsumer<Step>,
): Promise<void> {
  let files = 0;
  const processes = (): Processes =>
    new Processes(given, () => join(given.directory, `${given.name}-${(files += 1)}.sqlite`));
  await fc.assert(
    fc.asyncProperty(given.histories, async (history) => {
      const events = given.eventsOf(withoutInterruptions(history));
      const [replayed, disturbed] = [processes(), processes()];
      const expected = (await replayed.catchUp(events)).returned;
      let reached = 0;
      for (const step of history) {
        if (typeof step === 'string') await disturbed.interrupt(step);
        else reached += 1;
        const { from, returned } = await disturbed.catchUp(events.slice(0, reached));
        expect(returned).toEqual(expected.slice(from, reached));
      }
      expect(await disturbed.saved(events)).toEqual(await replayed.saved(events));
    }),
    { numRuns: fc.readConfigureGlobal().numRuns ?? RUNS, examples: given.examples ?? [] },
  );
}
