export { accepted, type Decider, type Decision, type Refusal, RefusalError, refused, unknownEvent } from './decision';
export {
  type CommandOf,
  type DecisionTable,
  defineTable,
  type Guard,
  type GuardInputs,
  type GuardValues,
  inOrder,
  refusalsOf,
  type Row,
  type RowContext,
  type RowOf,
  type TableTypes,
  type Variables,
} from './decision-table';
export { findGaps, findInputMismatches, findOverlaps } from './proofs';
export { createTableDecider, MAX_ROUNDS, type Transition } from './table-decider';
export {
  type Entries,
  entriesInMemory,
  type EntryField,
  type EntryKind,
  type EntryShape,
  type MakeEntries,
} from './entries';
