import type { ManifestObject, NamedManifest, OperatorInstallation, OperatorPackage } from './operator-plugin';

const MARKETPLACE = 'openshift-marketplace';

export const namespaceObject = (name: string, labels: Readonly<Record<string, string>> = {}): ManifestObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, ...(Object.keys(labels).length > 0 ? { labels } : {}) },
});

/** own: the operator watches its own namespace. all: every namespace. */
export const groupObject = (name: string, namespace: string, watches: 'own' | 'all'): ManifestObject => ({
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OperatorGroup',
  metadata: { name, namespace },
  spec: watches === 'own' ? { targetNamespaces: [namespace] } : {},
});

export const subscriptionObject = (
  { namespace, subscriptionName }: OperatorInstallation,
  { name, source, channel }: OperatorPackage,
): ManifestObject => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: subscriptionName, namespace },
  spec: {
    name,
    source,
    sourceNamespace: MARKETPLACE,
    installPlanApproval: 'Automatic',
    ...(channel ? { channel } : {}),
  },
});

const POOLS = ['master', 'worker'] as const;

/**
 * Returns a MachineConfig for the control plane and one for the workers. Nodes get it with their first configuration, so
 * it needs no further reboot.
 */
export const machineConfigManifests = (file: string, name: string, spec: ManifestObject): NamedManifest[] =>
  POOLS.map((role) => ({
    fileName: `50_openshift-${file}_${role}.yaml`,
    object: {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfig',
      metadata: { name: `99-${role}-${name}`, labels: { 'machineconfiguration.openshift.io/role': role } },
      spec,
    },
  }));

export interface OlmParts {
  /** Middle part of the file names. */
  readonly file: string;
  readonly installation: OperatorInstallation;
  readonly package: OperatorPackage;
  /** Undefined: the operator uses an existing namespace with an operator group. */
  readonly group?: { readonly name: string; readonly watches: 'own' | 'all' };
  readonly namespaceLabels?: Readonly<Record<string, string>>;
}

/** Returns the three objects that make OLM install an operator. */
export function olmManifests({ file, installation, package: from, group, namespaceLabels }: OlmParts): NamedManifest[] {
  const { namespace } = installation;
  const own = group
    ? [
        { fileName: `50_openshift-${file}_ns.yaml`, object: namespaceObject(namespace, namespaceLabels) },
        {
          fileName: `50_openshift-${file}_operator_group.yaml`,
          object: groupObject(group.name, namespace, group.watches),
        },
      ]
    : [];
  return [
    ...own,
    { fileName: `50_openshift-${file}_subscription.yaml`, object: subscriptionObject(installation, from) },
  ];
}
