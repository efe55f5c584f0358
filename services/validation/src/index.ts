export * from './main';
export { readConfig as readValidationConfig, readFlapPolicy } from './config';
