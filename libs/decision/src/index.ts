export * from './decision';
export * from './decision-table';
export * from './proofs';
export * from './table-decider';
export * from './entries';
