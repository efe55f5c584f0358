export * from './decision/decision';
export * from './decision/decision-table';
