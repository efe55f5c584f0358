export * from './main';
export { sendBody } from './http/send-image';
