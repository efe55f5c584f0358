import { CNV } from './catalogue/cnv.operator';
import { AMD_GPU, NVIDIA_GPU } from './catalogue/gpu.operators';
import { KMM } from './catalogue/kmm.operator';
import { KUBE_DESCHEDULER } from './catalogue/kube-descheduler.operator';
import { LSO, LVM } from './catalogue/local-storage.operators';
import { MCE } from './catalogue/mce.operator';
import { METALLB } from './catalogue/metallb.operator';
import { MTV } from './catalogue/mtv.operator';
import { NMSTATE } from './catalogue/nmstate.operator';
import { NODE_FEATURE_DISCOVERY } from './catalogue/node-feature-discovery.operator';
import {
  FENCE_AGENTS_REMEDIATION,
  NODE_HEALTHCHECK,
  NODE_MAINTENANCE,
  SELF_NODE_REMEDIATION,
} from './catalogue/node-health.operators';
import { NUMA_RESOURCES } from './catalogue/numaresources.operator';
import { OADP } from './catalogue/oadp.operator';
import { CLUSTER_OBSERVABILITY, LOKI, OPENSHIFT_LOGGING } from './catalogue/observability.operators';
import { ODF } from './catalogue/odf.operator';
import { AUTHORINO, OPENSHIFT_AI, PIPELINES, SERVERLESS, SERVICEMESH } from './catalogue/openshift-ai.operators';
import { OSC } from './catalogue/osc.operator';
import type { OperatorPlugin } from './plugin/operator-plugin';
import type { OperatorSetting } from './plugin/operator-settings';

/** All operators. A new operator is a constant in `catalogue/` and a line in this table. */
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

/** The same, in their common type. */
export const OPERATOR_PLUGINS: readonly OperatorPlugin<OperatorName>[] = OPERATORS;

const BY_NAME: ReadonlyMap<string, OperatorPlugin<OperatorName>> = new Map(
  OPERATOR_PLUGINS.flatMap((plugin) =>
    [plugin.name, ...(plugin.aliases ?? [])].map((name): [string, OperatorPlugin<OperatorName>] => [name, plugin]),
  ),
);

/** Returns an operator by its name or a former name. */
export const operatorNamed = (name: string): OperatorPlugin<OperatorName> | undefined => BY_NAME.get(name);

/** All settings of operators. */
export const OPERATOR_SETTINGS: readonly OperatorSetting[] = OPERATORS.flatMap(({ settings }) => settings);
