export * from './problems';
