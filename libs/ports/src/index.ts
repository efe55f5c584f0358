export * from './event-store';
export * from './unavailable';
export * from './clock-and-ids';
export * from './object-store';
export * from './read-models';
export * from './requests';
export * from './cluster-api';
export * from './image-registry';
