/** Sets of operators that are selected together. */
export interface BundleKind {
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

export const BUNDLE_KINDS = [
  {
    id: 'virtualization',
    title: 'Virtualization',
    description: 'Virtual machines next to containers, with operators for high availability and migration.',
  },
  {
    id: 'openshift-ai',
    title: 'OpenShift AI',
    description: 'Training, serving and monitoring of models, with the required storage and accelerators.',
  },
] as const satisfies readonly BundleKind[];
export type BundleId = (typeof BUNDLE_KINDS)[number]['id'];
