/** Sets of operators that are chosen together. */
export interface BundleKind {
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

export const BUNDLE_KINDS = [
  {
    id: 'virtualization',
    title: 'Virtualization',
    description: 'Virtual machines next to containers, with what keeps them running and moves them in.',
  },
  {
    id: 'openshift-ai',
    title: 'OpenShift AI',
    description: 'Training, serving and watching models, with the storage and the accelerators they need.',
  },
] as const satisfies readonly BundleKind[];
export type BundleId = (typeof BUNDLE_KINDS)[number]['id'];
