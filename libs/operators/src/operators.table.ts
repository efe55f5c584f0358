import { AMD_GPU } from './catalogue/amd-gpu.operator';
import { AUTHORINO } from './catalogue/authorino.operator';
import { CLUSTER_OBSERVABILITY } from './catalogue/cluster-observability.operator';
import { CNV } from './catalogue/cnv.operator';
import { FENCE_AGENTS_REMEDIATION } from './catalogue/fence-agents-remediation.operator';
import { KMM } from './catalogue/kmm.operator';
import { KUBE_DESCHEDULER } from './catalogue/kube-descheduler.operator';
import { LOKI } from './catalogue/loki.operator';
import { LSO } from './catalogue/lso.operator';
import { LVM } from './catalogue/lvm.operator';
import { MCE } from './catalogue/mce.operator';
import { METALLB } from './catalogue/metallb.operator';
import { MTV } from './catalogue/mtv.operator';
import { NMSTATE } from './catalogue/nmstate.operator';
import { NODE_FEATURE_DISCOVERY } from './catalogue/node-feature-discovery.operator';
import { NODE_HEALTHCHECK } from './catalogue/node-healthcheck.operator';
import { NODE_MAINTENANCE } from './catalogue/node-maintenance.operator';
import { NUMA_RESOURCES } from './catalogue/numaresources.operator';
import { NVIDIA_GPU } from './catalogue/nvidia-gpu.operator';
import { OADP } from './catalogue/oadp.operator';
import { ODF } from './catalogue/odf.operator';
import { OPENSHIFT_AI } from './catalogue/openshift-ai.operator';
import { OPENSHIFT_LOGGING } from './catalogue/openshift-logging.operator';
import { OSC } from './catalogue/osc.operator';
import { PIPELINES } from './catalogue/pipelines.operator';
import { SELF_NODE_REMEDIATION } from './catalogue/self-node-remediation.operator';
import { SERVERLESS } from './catalogue/serverless.operator';
import { SERVICEMESH } from './catalogue/servicemesh.operator';
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

/** All settings of operators. */
export const OPERATOR_SETTINGS: readonly OperatorSetting[] = OPERATORS.flatMap(({ settings }) => settings);
