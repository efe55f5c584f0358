export * from './main';
export { sendBody } from './http/send-image';
export { locationOfImage } from './base-images/os-image-catalogue';
export { readConfig as readImageConfig } from './config';
