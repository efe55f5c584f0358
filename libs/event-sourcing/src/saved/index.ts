export { DUE_KEYS } from './due-keys';
export { KeptEntries, keptEntries, viewFold } from './kept-entries';
export { keptReadModels } from './kept-read-models';
export { SavedConsumer, SavedStates, SAVE_LIMITS, type SaveLimits } from './saved-states';
