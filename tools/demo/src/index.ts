export * from './scenario';
export * from './muster-process';
export * from './rest-client';
export * from './summary';
