export * from './main';
