import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type EventPlace,
  type EventStore,
  type SavedFold,
  type SavedState,
  START_OF_STORE,
  type StateChange,
  type StateStore,
  type StateTable,
  type TurnLimits,
  TurnShare,
} from '@muster/ports';
import { FilteredState } from './filtered-state';
import { decodedOrNone, encodeValue } from './values';

export interface SaveLimits {
  /** Number of changed entries from which a save starts. A consumer with twice as many waits. */
  readonly changes: number;
  /** The same for a consumer that has not yet reached the events which were stored last at its start. */
  readonly replayedChanges: number;
  /** Maximum time until changes are saved, in milliseconds. */
  readonly intervalMs: number;
}

/**
 * Limits for saves. An entry that changes several times between two saves is written once: the hosts of a cluster register, report their
 * hardware and pass their checks within a few minutes. After a crash, the events since the last save are replayed. A replay saves sooner:
 * it changes thousands of entries per second, and entries that leave memory late cost more garbage collection than their saves.
 */
export const SAVE_LIMITS: SaveLimits = { changes: 10_000, replayedChanges: 500, intervalMs: 120_000 };

/** The changes at one point in time. */
export interface FrozenChanges {
  readonly changes: Iterable<StateChange>;
  /** Called with the commit. */
  saved(): void;
  /** Removes entries from memory after the commit, one in each step, before the next save. */
  release?(): Iterable<undefined>;
  /** Called when the save failed, so that the changes are part of the next save. */
  failed(): void;
}

/** A source of changes, which keeps them in memory until they are saved. */
export interface ChangeSource {
  /** Number of changed entries that are not saved yet. */
  readonly unsaved: number;
  /** Copies the changed entries for `freeze`, one in each step. One that changes afterwards is copied again. */
  copy?(): Iterable<undefined>;
  /** Returns the changes since the last call. */
  freeze(): FrozenChanges;
  /** Loads the open entries, one in each step. */
  loadOpen?(): Iterable<undefined>;
  /** Prepares the open entries when those of all sources are loaded. */
  prepareOpen?(): Iterable<undefined>;
}

/** Time in which open entries are loaded in one turn of the event loop. Other services of the process already receive requests. */
export const LOAD_TIME: TurnLimits = { minMs: 10, share: 0.3, maxMs: 20 };
/** Time in which changed entries are copied, or saved ones removed from memory, in one turn of the event loop. */
export const COPY_TIME: TurnLimits = { minMs: 2, share: 0.1, maxMs: 10 };

interface Checkpoint {
  readonly version: number;
  /** The tables whose entries the checkpoint describes, as `shapeOf` returns them. */
  readonly tables: string;
  readonly position: number;
  readonly last: EventPlace | undefined;
}

const CHECKPOINTS: StateTable = { name: 'checkpoints', fields: [], indexes: [] };

const shapeOf = ({ tables }: SavedFold): string =>
  JSON.stringify(tables.map(({ name, fields, indexes }) => [name, fields, indexes]));

/** The saved states of one process. Consumers report their position, and their changes are saved at intervals. */
export class SavedStates {
  private readonly consumers = new Map<string, SavedConsumer>();
  /** Resolves when the last save has ended, and its turn of the event loop; undefined when no save runs. */
  private lastSave: Promise<void> | undefined;

  constructor(
    private readonly store: StateStore,
    private readonly eventStore: EventStore,
    private readonly onError: (error: Error) => void,
    private readonly limits: SaveLimits = SAVE_LIMITS,
  ) {}

  /** Opens the saved state of a consumer. Folds whose saved entries do not belong to the events of the store start from the first event. */
  async open(name: string, folds: readonly SavedFold[]): Promise<SavedConsumer> {
    // Tables of another shape are emptied when they are opened, so checkpoints that do not describe them are removed before.
    const before = await this.store.open({ name, tables: [CHECKPOINTS] });
    const checkpoints = await this.acceptedCheckpoints(before, folds);
    const state = await this.store.open({ name, tables: [...folds.flatMap((fold) => fold.tables), CHECKPOINTS] });
    for (const fold of folds) {
      const names = fold.tables.map((table) => table.name);
      const isEmptied = names.some((table) => state.createdTables.has(table));
      if (isEmptied && checkpoints.delete(fold.name)) await removeCheckpoint(state, fold);
      if (!checkpoints.has(fold.name)) await state.clear(names);
    }
    const consumer = new SavedConsumer(
      new FilteredState(state),
      folds,
      checkpoints,
      { ...this.limits, replayedUntil: await this.eventStore.head() },
      (save) => this.inTurn(save),
      this.onError,
    );
    this.consumers.set(name, consumer);
    return consumer;
  }

  /** Saves all changes. @throws Error when they cannot be saved; they stay in memory */
  async save(): Promise<void> {
    for (const consumer of this.consumers.values()) await consumer.save();
  }

  /**
   * Runs the saves one after the other, and starts each in another turn of the event loop. The intervals of all consumers end in one
   * turn, in which the changes of a fleet would take longer than a turn may take.
   */
  private inTurn(save: () => Promise<void>): Promise<void> {
    const saving = this.lastSave?.then(save) ?? save();
    const ended: Promise<void> = saving
      .catch(() => undefined)
      .then(async () => {
        await nextTurn();
        if (this.lastSave === ended) this.lastSave = undefined;
      });
    this.lastSave = ended;
    return saving;
  }

  /** Saves all changes and closes the files. Consumers must not report progress afterwards. */
  async close(): Promise<void> {
    for (const consumer of this.consumers.values()) await consumer.close();
    await this.store.close();
  }

  /**
   * Returns the checkpoints that describe the entries of their folds. The others are removed durably: a process that ends before
   * the entries are rebuilt must not leave a checkpoint beside empty tables.
   */
  private async acceptedCheckpoints(state: SavedState, folds: readonly SavedFold[]): Promise<Map<string, Checkpoint>> {
    const accepted = new Map<string, Checkpoint>();
    for (const fold of folds) {
      const found = state.get(CHECKPOINTS.name, fold.name);
      const checkpoint = found && decodedOrNone<Checkpoint>(found);
      const isOfFold = checkpoint?.version === fold.version && checkpoint.tables === shapeOf(fold);
      if (isOfFold && (!checkpoint.last || (await this.isInStore(checkpoint.last))))
        accepted.set(fold.name, checkpoint);
      else await removeCheckpoint(state, fold);
    }
    return accepted;
  }

  /** Whether the event store has the event: not after it was replaced or restored from an older backup. */
  async isInStore(last: EventPlace): Promise<boolean> {
    for await (const [event] of this.eventStore.readStream(last.streamId, last.revision - 1))
      return event?.revision === last.revision && event.id === last.id;
    return false;
  }
}

async function removeCheckpoint(state: SavedState, { name }: SavedFold): Promise<void> {
  if (state.get(CHECKPOINTS.name, name))
    await state.save([{ table: CHECKPOINTS.name, key: name, row: undefined }], () => undefined);
}

/** The saved state of one consumer and the positions of its folds. */
export class SavedConsumer {
  private readonly sources: ChangeSource[] = [];
  private readonly moved = new Set<string>();
  private saving: Promise<void> | undefined;
  private isReplaying = false;
  /** Number of changed entries from which a failed save is repeated early: not with each event while the disk is full. */
  private repeatedFrom = 0;
  private loading: Promise<boolean> | undefined;
  private isStopped = false;
  private readonly declared: ReadonlyMap<string, Pick<Checkpoint, 'version' | 'tables'>>;
  private readonly timer: NodeJS.Timeout;

  constructor(
    readonly state: FilteredState,
    folds: readonly SavedFold[],
    private readonly checkpoints: Map<string, Checkpoint>,
    private readonly limits: SaveLimits & { readonly replayedUntil: number },
    /** Runs the save when the saves of the other consumers have ended. */
    private readonly inTurn: (save: () => Promise<void>) => Promise<void>,
    private readonly onError: (error: Error) => void,
  ) {
    this.declared = new Map(folds.map((fold) => [fold.name, { version: fold.version, tables: shapeOf(fold) }]));
    this.timer = setInterval(() => this.saveSoon(), limits.intervalMs).unref();
  }

  add(source: ChangeSource): void {
    this.sources.push(source);
  }

  /**
   * Loads the open entries over several turns of the event loop, so that a cluster with many hosts does not delay requests. The folds must
   * not observe events meanwhile. Resolves to false when `stopLoading` or `close` was called before the end.
   */
  loadOpen(): Promise<boolean> {
    return (this.loading = this.loadInTurns());
  }

  /** Ends `loadOpen` in its current turn of the event loop. Resolves when it has ended. */
  async stopLoading(): Promise<void> {
    this.isStopped = true;
    await this.loading?.catch(() => undefined);
  }

  /** Position of the last event that the saved or current entries contain; START_OF_STORE before the first. */
  position(fold: string): number {
    return this.checkpoints.get(fold)?.position ?? START_OF_STORE;
  }

  /** Records that the entries contain every event up to the position. Must be called in the same turn as the changes. */
  reached(fold: string, position: number, last: EventPlace | undefined): void {
    this.checkpoints.set(fold, { ...(this.declared.get(fold) ?? { version: 0, tables: '' }), position, last });
    this.moved.add(fold);
    this.isReplaying = position < this.limits.replayedUntil;
    if (this.unsaved >= this.changesMax) this.saveSoon();
  }

  /**
   * Resolves when the number of unsaved changes is below the limit, or when they could not be saved. The changes of a
   * running save do not count, so that a consumer waits for one save at most.
   */
  async room(): Promise<void> {
    if (this.unsaved < 2 * this.changesMax) return;
    await this.saving?.catch(() => undefined);
    this.saveSoon();
  }

  /** Saves the changes so far. @throws Error when they cannot be saved; they stay in memory */
  async save(): Promise<void> {
    while (this.saving) await this.saving.catch(() => undefined);
    this.saving = this.inTurn(() => this.write()).finally(() => (this.saving = undefined));
    await this.saving;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.state.close();
    await this.stopLoading();
    await this.save().catch(this.onError);
  }

  private async loadInTurns(): Promise<boolean> {
    const time = new TurnShare(LOAD_TIME);
    for (const _ of this.steps('loadOpen', 'prepareOpen')) {
      if (!time.hasTime()) await time.nextTurn();
      if (this.isStopped) return false;
    }
    return true;
  }

  private *steps(...works: readonly ('loadOpen' | 'prepareOpen' | 'copy')[]): Generator<undefined, void> {
    for (const work of works) for (const source of this.sources) yield* source[work]?.() ?? [];
  }

  private get changesMax(): number {
    return Math.max(this.repeatedFrom, this.isReplaying ? this.limits.replayedChanges : this.limits.changes);
  }

  private get unsaved(): number {
    return this.sources.reduce((sum, { unsaved }) => sum + unsaved, 0);
  }

  private saveSoon(): void {
    if (!this.saving) this.save().catch(this.onError);
  }

  private async write(): Promise<void> {
    if (this.moved.size === 0 && this.unsaved === 0) return;
    const time = new TurnShare(COPY_TIME);
    for (const _ of this.steps('copy')) if (!time.hasTime()) await time.nextTurn();
    const frozen: FrozenChanges[] = [];
    const checkpoints = [...this.moved].map((fold) => ({ fold, checkpoint: this.checkpoints.get(fold) }));
    this.moved.clear();
    const changes = function* (): Generator<StateChange> {
      for (const one of frozen) yield* one.changes;
      for (const { fold, checkpoint } of checkpoints)
        yield { table: CHECKPOINTS.name, key: fold, row: { key: fold, value: encodeValue(checkpoint), fields: [] } };
    };
    try {
      for (const source of this.sources) frozen.push(source.freeze());
      await this.state.save(changes(), () => frozen.forEach((one) => one.saved()));
    } catch (error) {
      for (const one of frozen) one.failed();
      for (const { fold } of checkpoints) this.moved.add(fold);
      this.repeatedFrom = 2 * this.unsaved;
      throw error;
    }
    this.repeatedFrom = 0;
    for (const one of frozen) for (const _ of one.release?.() ?? []) if (!time.hasTime()) await time.nextTurn();
  }
}
