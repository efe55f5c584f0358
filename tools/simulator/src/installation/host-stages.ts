import { type HostStage as DomainStage, STAGE_LISTS } from '@muster/domain';

/** Stages of an installation by role, in order. */
export const HOST_STAGES = {
  bootstrap: STAGE_LISTS.bootstrap,
  master: STAGE_LISTS['control-plane'],
  worker: STAGE_LISTS.worker,
  'single-node': STAGE_LISTS['single-node'],
} as const;

export type StagePath = keyof typeof HOST_STAGES;
export type HostStage = DomainStage;

/** Returns the progress of a host from 0 to 100. `share` is the completed share of the stage, 0 to 1. */
export function percentOf(path: StagePath, stage: string, share = 0): number {
  const stages: readonly string[] = HOST_STAGES[path];
  const index = stages.indexOf(stage);
  if (index < 0) return 0;
  return index === stages.length - 1 ? 100 : Math.floor(((index + share) / (stages.length - 1)) * 100);
}
