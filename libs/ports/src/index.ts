export * from './catch-up';
export * from './clock';
export * from './event-store';
export * from './ids';
export * from './object-store';
export * from './read-models';
export * from './requests';
export * from './secrets';
