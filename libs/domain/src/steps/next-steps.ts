import { type StepContext } from './step-context';
import { RESTING_ROW, STEP_ROWS, STEPS, type StepType } from './step-table';

export interface PlannedStep {
  readonly type: StepType | 'upgrade-agent';
  readonly args: readonly string[];
}

export interface StepPlan {
  readonly steps: readonly PlannedStep[];
  readonly intervalSeconds: number;
  readonly then: 'continue' | 'exit';
}

const UPGRADABLE_STATUSES: readonly string[] = [
  'binding',
  'discovering',
  'discovering-unbound',
  'insufficient',
  'insufficient-unbound',
  'known',
  'known-unbound',
  'pending-for-input',
];

/**
 * Returns the next steps of the agent. An outdated agent gets the step to upgrade and no other; one that does not say its
 * version (empty) is taken for current.
 */
export function planSteps(context: StepContext, agentVersion: string): StepPlan {
  const { settings, images, host } = context;
  const mayUpgrade =
    settings.upgradesAgents &&
    !settings.disabledSteps.includes('upgrade-agent') &&
    UPGRADABLE_STATUSES.includes(host.status);
  if (mayUpgrade && agentVersion !== '' && agentVersion !== images.agent) {
    return {
      steps: [{ type: 'upgrade-agent', args: [JSON.stringify({ agent_image: images.agent })] }],
      intervalSeconds: 60,
      then: 'continue',
    };
  }
  const pool = !context.cluster ? 'unbound' : host.kind === 'AddToExistingClusterHost' ? 'day-2' : 'day-1';
  const row =
    STEP_ROWS.find((candidate) => candidate.pool === pool && candidate.statuses.includes(host.status)) ?? RESTING_ROW;
  const steps = row.steps.flatMap((type) => {
    const args = settings.disabledSteps.includes(type) ? undefined : STEPS[type](context);
    return args ? [{ type, args }] : [];
  });
  return { steps, intervalSeconds: row.intervalSeconds, then: row.then };
}
