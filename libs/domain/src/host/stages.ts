import { isOneOf } from '@muster/schema';

/** `host-stage` of the v2 API. */
export const HOST_STAGES = [
  'Starting installation',
  'Waiting for control plane',
  'Waiting for bootkube',
  'Waiting for controller',
  'Installing',
  'Writing image to disk',
  'Copying registry data to disk',
  'Rebooting',
  'Waiting for ignition',
  'Configuring',
  'Joined',
  'Done',
  'Failed',
] as const;
export type HostStage = (typeof HOST_STAGES)[number];

export function isHostStage(value: string): value is HostStage {
  return isOneOf(HOST_STAGES, value);
}

/** The stages of each kind of host, in the order of its installation. */
export const STAGE_LISTS = {
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
  'control-plane': [
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
} as const satisfies Record<string, readonly HostStage[]>;

export interface StageListInput {
  readonly role: string;
  readonly isBootstrap: boolean;
  readonly isDay2: boolean;
  /** 1 for a single-node cluster. */
  readonly controlPlaneCount: number;
  /** With the Kubernetes API, the state of the node continues a day-2 host after the reboot. */
  readonly isKubeApi: boolean;
}

const NO_STAGES: readonly HostStage[] = [];
const untilReboot = (stages: readonly HostStage[]): readonly HostStage[] =>
  stages.slice(0, stages.indexOf('Rebooting') + 1);
const DAY2_LISTS: Record<keyof typeof STAGE_LISTS, readonly HostStage[]> = {
  bootstrap: untilReboot(STAGE_LISTS.bootstrap),
  'single-node': untilReboot(STAGE_LISTS['single-node']),
  'control-plane': untilReboot(STAGE_LISTS['control-plane']),
  worker: untilReboot(STAGE_LISTS.worker),
};

function stageListNameOf(input: StageListInput): keyof typeof STAGE_LISTS | undefined {
  if (input.isBootstrap || input.role === 'bootstrap')
    return input.controlPlaneCount === 1 ? 'single-node' : 'bootstrap';
  if (input.role === 'master' || input.role === 'arbiter') return 'control-plane';
  return input.role === 'worker' ? 'worker' : undefined;
}

/** Returns `progress_stages` of a host by its assigned role. Empty while the role is `auto-assign`. */
export function hostStages(input: StageListInput): readonly HostStage[] {
  const name = stageListNameOf(input);
  if (!name) return NO_STAGES;
  return input.isDay2 && !input.isKubeApi ? DAY2_LISTS[name] : STAGE_LISTS[name];
}

/**
 * Returns the percentage of completed stages when the host is in `stage`, rounded down. 0 for a stage that is not in
 * the list.
 */
export function stagePercentage(stage: HostStage, stages: readonly HostStage[]): number {
  return stages.length === 0 ? 0 : Math.floor(((stages.indexOf(stage) + 1) / stages.length) * 100);
}
