export * from './main';
export { sendBody } from './http/send-image';
export { readConfig as readImageConfig } from './config';
