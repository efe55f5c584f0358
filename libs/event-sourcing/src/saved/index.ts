export { KeptEntries, type EntryKind, tableOf } from './kept-entries';
export { keptReadModels } from './kept-read-models';
export { SavedConsumer, SavedStates, SAVE_LIMITS, type SaveLimits } from './saved-states';
