export * from './decision';
export * from './refusal';
export * from './decision-table';
export * from './row-index';
