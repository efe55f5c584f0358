export * from './main';
export { readConfig as readInventoryConfig } from './config';
