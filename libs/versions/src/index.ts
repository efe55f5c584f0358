export * from './openshift-version';
