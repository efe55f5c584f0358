export { DUE_KEYS } from './due-keys';
export { FilteredState } from './filtered-state';
export { keptEntries, viewFold } from './kept-entries';
export { keptReadModels } from './kept-read-models';
export { LOAD_TIME, SavedConsumer, SavedStates, SAVE_LIMITS, type SaveLimits } from './saved-states';
