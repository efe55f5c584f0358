/** Stages of an installation in the order in which a host of each kind goes through them. */
export const HOST_STAGES = {
  bootstrap: [
    'Starting installation',
    'Installing',
    'Writing image to disk',
    'Copying registry data to disk',
    'Waiting for control plane',
    'Waiting for bootkube',
    'Waiting for controller',
    'Rebooting',
    'Configuring',
    'Joined',
    'Done',
  ],
  master: [
    'Starting installation',
    'Installing',
    'Writing image to disk',
    'Copying registry data to disk',
    'Rebooting',
    'Configuring',
    'Joined',
    'Done',
  ],
  worker: [
    'Starting installation',
    'Installing',
    'Writing image to disk',
    'Waiting for control plane',
    'Rebooting',
    'Waiting for ignition',
    'Configuring',
    'Joined',
    'Done',
  ],
  'single-node': [
    'Starting installation',
    'Installing',
    'Waiting for bootkube',
    'Writing image to disk',
    'Copying registry data to disk',
    'Rebooting',
    'Joined',
    'Done',
  ],
} as const;

export type StagePath = keyof typeof HOST_STAGES;
export type HostStage = (typeof HOST_STAGES)[StagePath][number] | 'Failed';

/** How far a host is, 0 to 100. `share` is the part of the stage that is done, 0 to 1. */
export function percentOf(path: StagePath, stage: string, share = 0): number {
  const stages: readonly string[] = HOST_STAGES[path];
  const index = stages.indexOf(stage);
  if (index < 0) return 0;
  return index === stages.length - 1 ? 100 : Math.floor(((index + share) / (stages.length - 1)) * 100);
}
