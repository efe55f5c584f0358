import type { StepType, StepWork } from '../steps/step-work';
import type { MachineIdentity } from './machine-identity';

/** What the agent runs on: a real machine, or one that is played. */
export interface Machine {
  identity(): Promise<MachineIdentity>;
  /** False once the discovery image that the machine runs from cannot be read any more (virtual media was taken away). */
  isMediaReadable(): Promise<boolean>;
  /** What the machine can do, by step type. A type that is missing is answered with a reason instead of a result. */
  readonly abilities: Abilities;
}

export type Abilities = { readonly [Type in StepType]?: Ability<Type> };
/** Does one step. Throws StepFailed for a failure that has an exit code; ends early when `signal` is aborted. */
export type Ability<Type extends StepType> = (
  order: StepWork[Type]['order'],
  signal: AbortSignal,
) => Promise<StepWork[Type]['result']>;

/** A step came to an end without what was asked for. */
export class StepFailed extends Error {
  constructor(
    reason: string,
    readonly exitCode = -1,
    /** What was found out nevertheless. */
    readonly output = '',
  ) {
    super(reason);
    this.name = 'StepFailed';
  }
}
