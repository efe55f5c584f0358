import { olmManifests } from '../plugin/olm-objects';
import { lacks, meets } from '../plugin/operator-claim';
import type { OperatorCluster } from '../plugin/operator-facts';
import {
  type ExtraResources,
  type ManifestObject,
  MIB_PER_GIB,
  NOTHING,
  NOTHING_AHEAD,
  operatorPlugin,
  PLAIN,
} from '../plugin/operator-plugin';
import { type OperatorSettings, whole, wholeOf } from '../plugin/operator-settings';
import { claimResources } from '../plugin/shared-claims';

const AUTHORINO_INSTALLATION = { namespace: 'openshift-operators', subscriptionName: 'authorino-operator' };

export const AUTHORINO = operatorPlugin({
  ...PLAIN,
  name: 'authorino',
  title: 'Authorino',
  featureId: 'AUTHORINO',
  bundles: () => [{ id: 'openshift-ai' }],
  installation: () => AUTHORINO_INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'authorino',
      installation: AUTHORINO_INSTALLATION,
      package: { name: 'authorino-operator', source: 'redhat-operators', channel: 'tech-preview-v1' },
    }),
});

const PIPELINES_INSTALLATION = {
  namespace: 'openshift-operators',
  subscriptionName: 'openshift-pipelines-operator-rh',
};

export const PIPELINES = operatorPlugin({
  ...PLAIN,
  name: 'pipelines',
  title: 'OpenShift Pipelines',
  featureId: 'PIPELINES',
  bundles: () => [{ id: 'openshift-ai' }],
  installation: () => PIPELINES_INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'pipelines',
      installation: PIPELINES_INSTALLATION,
      package: { name: 'openshift-pipelines-operator-rh', source: 'redhat-operators', channel: 'latest' },
    }),
});

const SERVERLESS_INSTALLATION = { namespace: 'openshift-serverless', subscriptionName: 'serverless-operator' };

export const SERVERLESS = operatorPlugin({
  ...PLAIN,
  name: 'serverless',
  title: 'OpenShift Serverless',
  featureId: 'SERVERLESS',
  bundles: () => [{ id: 'openshift-ai' }],
  installation: () => SERVERLESS_INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'serverless',
      installation: SERVERLESS_INSTALLATION,
      package: { name: 'serverless-operator', source: 'redhat-operators', channel: 'stable' },
      group: { name: 'serverless', watches: 'all' },
    }),
});

const SERVICEMESH_INSTALLATION = { namespace: 'openshift-operators', subscriptionName: 'servicemeshoperator' };

export const SERVICEMESH = operatorPlugin({
  ...PLAIN,
  name: 'servicemesh',
  title: 'OpenShift Service Mesh',
  featureId: 'SERVICEMESH',
  bundles: () => [{ id: 'openshift-ai' }],
  installation: () => SERVICEMESH_INSTALLATION,
  manifests: () =>
    olmManifests({
      file: 'servicemesh',
      installation: SERVICEMESH_INSTALLATION,
      package: { name: 'servicemeshoperator', source: 'redhat-operators', channel: 'stable' },
    }),
});

const WORKERS_MIN = whole('OPENSHIFT_AI_MIN_WORKER_NODES', 2, 'Minimum number of workers.');
const WORKER_GIB = whole('OPENSHIFT_AI_MIN_WORKER_MEMORY_GIB', 32, 'Memory in GiB that each worker requires.');
const WORKER_CORES = whole('OPENSHIFT_AI_MIN_WORKER_CPU_CORES', 8, 'CPU cores that each worker requires.');
const OPENSHIFT_AI_INSTALLATION = { namespace: 'redhat-ods-operator', subscriptionName: 'rhods-operator' };

const workerNeeds = (settings: OperatorSettings): ExtraResources => ({
  cpuCores: wholeOf(settings, WORKER_CORES),
  ramMib: wholeOf(settings, WORKER_GIB) * MIB_PER_GIB,
});

const COMPONENTS = {
  codeflare: 'Managed',
  dashboard: 'Managed',
  datasciencepipelines: 'Managed',
  kueue: 'Managed',
  modelmeshserving: 'Managed',
  ray: 'Managed',
  trainingoperator: 'Removed',
  trustyai: 'Removed',
  workbenches: 'Managed',
} as const;

/** Models are served by Knative when its operators are selected, except on a single node, as in assisted-service v2. */
const servesServerless = ({ isSingleNode, operators }: OperatorCluster): boolean =>
  !isSingleNode && [SERVERLESS, SERVICEMESH].every(({ name }) => operators.includes(name));

/** Replaces the initialization that the operator creates, which requires the service mesh. */
const INITIALIZATION_WITHOUT_MESH: ManifestObject = {
  apiVersion: 'dscinitialization.opendatahub.io/v1',
  kind: 'DSCInitialization',
  metadata: { name: 'default-dsci' },
  spec: {
    applicationsNamespace: 'redhat-ods-applications',
    monitoring: { managementState: 'Managed', namespace: 'redhat-ods-monitoring' },
    serviceMesh: { managementState: 'Removed' },
    trustedCABundle: { managementState: 'Managed', customCABundle: '' },
  },
};

const dataScienceCluster = (servingState: 'Managed' | 'Removed'): ManifestObject => ({
  apiVersion: 'datasciencecluster.opendatahub.io/v1',
  kind: 'DataScienceCluster',
  metadata: { name: 'default-dsc' },
  spec: {
    components: {
      ...Object.fromEntries(Object.entries(COMPONENTS).map(([name, managementState]) => [name, { managementState }])),
      kserve: {
        managementState: 'Managed',
        serving: {
          managementState: servingState,
          name: 'knative-serving',
          ingressGateway: { certificate: { type: 'OpenshiftDefaultIngress' } },
        },
      },
    },
  },
});

export const OPENSHIFT_AI = operatorPlugin({
  ...PLAIN,
  name: 'openshift-ai',
  title: 'OpenShift AI',
  featureId: 'OPENSHIFT_AI',
  dependencies: ({ isSingleNode }) => (isSingleNode ? ['lvm'] : []),
  bundles: () => [{ id: 'openshift-ai' }],
  settings: [WORKERS_MIN, WORKER_GIB, WORKER_CORES],
  installation: () => OPENSHIFT_AI_INSTALLATION,
  resources: ({ effectiveRole }, { settings }) => (effectiveRole === 'worker' ? workerNeeds(settings) : NOTHING),
  preview: (role, { settings }) => (role === 'worker' ? { ...workerNeeds(settings), descriptions: [] } : NOTHING_AHEAD),
  host: {
    checks:
      'Each worker has the CPU cores of `OPENSHIFT_AI_MIN_WORKER_CPU_CORES` (8 by default) and the memory of `OPENSHIFT_AI_MIN_WORKER_MEMORY_GIB` (32 GiB by default) for the operator.',
    claim: (host, { settings }) =>
      claimResources(host, host.effectiveRole === 'worker' ? workerNeeds(settings) : NOTHING),
    remedy: 'Use larger machines as workers.',
  },
  cluster: {
    checks: 'The cluster has at least `OPENSHIFT_AI_MIN_WORKER_NODES` workers (2 by default), or it is a single node.',
    claim: (hosts, { isSingleNode, settings }) => {
      const workersMin = wholeOf(settings, WORKERS_MIN);
      const workers = hosts.filter(({ effectiveRole }) => effectiveRole === 'worker').length;
      return isSingleNode || workers >= workersMin ? meets() : lacks('too-few-workers', workers, workersMin);
    },
    remedy: 'Add workers to the cluster.',
  },
  manifests: () =>
    olmManifests({
      file: 'openshift-ai',
      installation: OPENSHIFT_AI_INSTALLATION,
      package: { name: 'rhods-operator', source: 'redhat-operators', channel: 'stable' },
      group: { name: 'redhat-ods', watches: 'all' },
    }),
  laterManifests: (_hosts, cluster) =>
    servesServerless(cluster)
      ? [dataScienceCluster('Managed')]
      : [INITIALIZATION_WITHOUT_MESH, dataScienceCluster('Removed')],
});
