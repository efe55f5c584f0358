import type { Report } from '../report';

const REASON_CHARACTERS_MAX = 300;

/** Returns the report of a step that the host could not run. */
export const stepFailure = (stepType: string, reason: string, generation: number): Report => ({
  event: { type: 'StepFailed', data: { stepType, reason: reason.slice(0, REASON_CHARACTERS_MAX), generation } },
});
