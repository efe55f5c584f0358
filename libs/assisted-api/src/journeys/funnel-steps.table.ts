/** What a cluster goes through until it is installed, in the order in which most clusters do. */
export const FUNNEL_STEPS = [
  'cluster-created',
  'infra-env-created',
  'image-first-downloaded',
  'image-download-completed',
  'host-discovered',
  'hardware-known',
  'cluster-ready',
  'installation-requested',
  'installation-prepared',
  'installing',
  'host-rebooted',
  'host-joined',
  'bootstrap-pivoted',
  'finalizing',
  'installed',
] as const;
export type FunnelStep = (typeof FUNNEL_STEPS)[number];
