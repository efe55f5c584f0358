export * from './main';
export { readConfig as readRegistrationConfig } from './config';
