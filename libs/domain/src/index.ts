export * from './decision/decision';
export * from './decision/decision-table';
export * from './cluster/cluster-commands';
export * from './cluster/cluster-state';
export * from './cluster/cluster-status';
export * from './infra-env/infra-env-commands';
export * from './infra-env/infra-env-state';
export * from './roles/host-summary';
