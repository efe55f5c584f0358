import type { HostCommandOf } from './commands';
import { type HostStage, hostStages, isHostStage, stagePercentage, STAGES_FROM_REBOOT } from './stages';
import { type HostState, isDay2 } from './state';

/** What a progress report may mean, against the list of stages of the role. `arrival` is `onward` from the reboot on. */
export const PROGRESS_MOVES = [
  'repeat',
  'words',
  'not-a-stage',
  'unlisted',
  'backward',
  'failed',
  'onward',
  'arrival',
  'done',
] as const;

/** What a report means for this host. */
export interface ReportedProgress {
  readonly move: (typeof PROGRESS_MOVES)[number];
  readonly stage: HostStage | '';
  readonly percentage: number;
  /** Stages that the host may report. */
  readonly stages: readonly HostStage[];
}

/** Reads a report against the role's list: known stages only, never backwards; the first one is taken as it comes. */
export function readProgress(state: HostState, report: HostCommandOf<'ReportProgress'>): ReportedProgress {
  const { progress } = state;
  const stages = hostStages({
    role: state.role,
    isBootstrap: state.isBootstrap,
    isDay2: isDay2(state),
    controlPlaneCount: report.controlPlaneCount,
    isKubeApi: report.isKubeApi,
  });
  const same = { stage: progress.stage, percentage: progress.percentage, stages };

  if (!isHostStage(report.stage)) return { ...same, move: 'not-a-stage' };
  if (report.stage === 'Failed') return { ...same, move: 'failed' };

  // A day-2 host is not heard of after its reboot unless the Kubernetes API watches it: rebooting is the end.
  const isLast = report.stage === 'Rebooting' && isDay2(state) && !report.isKubeApi;
  const stage = isLast ? 'Done' : report.stage;
  if (stage === progress.stage) return { ...same, move: report.info === progress.info ? 'repeat' : 'words' };

  const percentage = stagePercentage(report.stage, stages);
  const reported = { stage, percentage, stages };
  if (progress.stage !== '') {
    const index = stages.indexOf(report.stage);
    if (index < 0) return { ...reported, move: 'unlisted' };
    if (index < stages.indexOf(progress.stage)) return { ...reported, move: 'backward' };
  }
  if (stage === 'Done') return { ...reported, move: 'done' };
  return { ...reported, move: STAGES_FROM_REBOOT.has(stage) ? 'arrival' : 'onward' };
}
