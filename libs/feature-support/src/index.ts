export * from './active/check-features';
export * from './active/feature-facts';
export * from './feature';
export * from './features/feature.table';
export * from './levels/architectures.table';
export * from './levels/feature-level';
export * from './levels/support-level';
export * from './levels/support-lists';
