export * from './decision';
export * from './decision-table';
export * from './proofs';
export * from './refusal';
export * from './row';
export * from './table-decider';
