export { inClusterConnection, readKubeconfig, type ClusterConnection } from './connection';
export { kubernetesClusterApi } from './kubernetes-cluster-api';
