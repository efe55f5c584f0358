export * from './clusters';
export * from './muster-process';
export * from './rest-client';
export * from './scenario';
export * from './stored-figures';
