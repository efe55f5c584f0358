export * from './host-files';
export * from './start-error';
export * from './embedded';
export * from './profile';
export * from './nats-process';
export * from './services';
