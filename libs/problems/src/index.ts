export * from './error-bodies';
export * from './problem-table';
export * from './refusal';
