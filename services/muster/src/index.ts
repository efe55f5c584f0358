export * from './base-images';
export * from './start-error';
export * from './embedded';
export * from './lossy-requests';
export * from './nats-process';
export * from './profile';
export * from './services';
