import { AMD_GPU } from './amd-gpu/amd-gpu.operator';
import { AUTHORINO } from './authorino/authorino.operator';
import { CLUSTER_OBSERVABILITY } from './cluster-observability/cluster-observability.operator';
import { CNV } from './cnv/cnv.operator';
import { FENCE_AGENTS_REMEDIATION } from './fence-agents-remediation/fence-agents-remediation.operator';
import { KMM } from './kmm/kmm.operator';
import { KUBE_DESCHEDULER } from './kube-descheduler/kube-descheduler.operator';
import { LOKI } from './loki/loki.operator';
import { LSO } from './lso/lso.operator';
import { LVM } from './lvm/lvm.operator';
import { MCE } from './mce/mce.operator';
import { METALLB } from './metallb/metallb.operator';
import { MTV } from './mtv/mtv.operator';
import { NMSTATE } from './nmstate/nmstate.operator';
import { NODE_FEATURE_DISCOVERY } from './node-feature-discovery/node-feature-discovery.operator';
import { NODE_HEALTHCHECK } from './node-healthcheck/node-healthcheck.operator';
import { NODE_MAINTENANCE } from './node-maintenance/node-maintenance.operator';
import { NUMA_RESOURCES } from './numa-resources/numa-resources.operator';
import { NVIDIA_GPU } from './nvidia-gpu/nvidia-gpu.operator';
import { OADP } from './oadp/oadp.operator';
import { ODF } from './odf/odf.operator';
import { OPENSHIFT_AI } from './openshift-ai/openshift-ai.operator';
import { OPENSHIFT_LOGGING } from './openshift-logging/openshift-logging.operator';
import { OSC } from './osc/osc.operator';
import { PIPELINES } from './pipelines/pipelines.operator';
import { SELF_NODE_REMEDIATION } from './self-node-remediation/self-node-remediation.operator';
import { SERVERLESS } from './serverless/serverless.operator';
import { SERVICEMESH } from './servicemesh/servicemesh.operator';
import type { OperatorPlugin } from './plugin/operator-plugin';
import type { OperatorSetting } from './plugin/operator-settings';

/** The one place that knows all plug-ins: an operator is its folder and its line here. */
export const OPERATORS = [
  LSO,
  ODF,
  CNV,
  LVM,
  MCE,
  MTV,
  OSC,
  NODE_FEATURE_DISCOVERY,
  NVIDIA_GPU,
  PIPELINES,
  SERVICEMESH,
  SERVERLESS,
  OPENSHIFT_AI,
  AUTHORINO,
  NMSTATE,
  AMD_GPU,
  KMM,
  NODE_HEALTHCHECK,
  SELF_NODE_REMEDIATION,
  FENCE_AGENTS_REMEDIATION,
  NODE_MAINTENANCE,
  KUBE_DESCHEDULER,
  CLUSTER_OBSERVABILITY,
  NUMA_RESOURCES,
  OADP,
  METALLB,
  LOKI,
  OPENSHIFT_LOGGING,
] as const satisfies readonly OperatorPlugin[];

export type OperatorName = (typeof OPERATORS)[number]['name'];
export const OPERATOR_NAMES: readonly OperatorName[] = OPERATORS.map(({ name }) => name);

const BY_NAME: ReadonlyMap<string, OperatorPlugin<OperatorName>> = new Map(
  (OPERATORS as readonly OperatorPlugin<OperatorName>[]).flatMap((plugin) =>
    [plugin.name, ...(plugin.aliases ?? [])].map((name): [string, OperatorPlugin<OperatorName>] => [name, plugin]),
  ),
);

/** By its name or a former one. */
export const operatorNamed = (name: string): OperatorPlugin<OperatorName> | undefined => BY_NAME.get(name);

/** Everything that who runs the service may set for operators. */
export const OPERATOR_SETTINGS: readonly OperatorSetting[] = OPERATORS.flatMap(({ settings }) => settings);
