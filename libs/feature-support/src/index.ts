export * from './feature';
export * from './features/check-features';
export * from './features/feature.table';
export * from './levels/openshift-version';
export * from './levels/support-levels';
