import type { SavedState, StateChange, StateTable } from '@muster/ports';
import type { ChangeSource, FrozenChanges } from './saved-states';

/** The table with the keys that were due for a reaction at the checkpoint. */
export const DUE_KEYS: StateTable = { name: 'due', fields: [], indexes: [] };

const NO_VALUE = new Uint8Array();

/** Saves which keys are due, as differences. */
export class DueKeys implements ChangeSource {
  private savedKeys: ReadonlySet<string>;

  constructor(
    saved: SavedState,
    private readonly current: () => Iterable<string>,
  ) {
    this.savedKeys = new Set(saved.find(DUE_KEYS.name, { where: {} }).map(({ key }) => key));
  }

  /** 1 while some keys are saved: they may have been processed since without an event, and a start would process them again. */
  get unsaved(): number {
    return Math.min(this.savedKeys.size, 1);
  }

  /** The keys that were due at the checkpoint. */
  atStart(): Iterable<string> {
    return this.savedKeys;
  }

  freeze(): FrozenChanges {
    const before = this.savedKeys;
    const now = new Set(this.current());
    const changes: StateChange[] = [];
    for (const key of now)
      if (!before.has(key)) changes.push({ table: DUE_KEYS.name, key, row: { key, value: NO_VALUE, fields: [] } });
    for (const key of before) if (!now.has(key)) changes.push({ table: DUE_KEYS.name, key, row: undefined });
    this.savedKeys = now;
    return { changes, saved: () => undefined, failed: () => (this.savedKeys = before) };
  }
}
