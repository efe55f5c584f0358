import { StepFailed, type Abilities, type Ability, type Machine } from '../machine/machine.port';
import { isStepType, STEPS, type StepOutcome, type StepRow } from './step-table';
import type { StepType } from './step-work';

/** The medium that the machine runs from is gone: nothing else the step says can be trusted. */
export const MEDIA_LOST_EXIT_CODE = 256;
const REFUSED_EXIT_CODE = -1;

/** Runs one step on the machine. Never throws: whatever goes wrong becomes an exit code and a reason. */
export async function runStep(
  machine: Machine,
  stepType: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<StepOutcome> {
  if (!isStepType(stepType)) return refuse(`This agent does not know the step type "${stepType}".`);
  if (!(await machine.isMediaReadable())) return mediaLost();
  const outcome = await perform(stepType, machine.abilities, args, signal);
  return outcome.exitCode !== 0 && !(await machine.isMediaReadable()) ? mediaLost() : outcome;
}

async function perform<Type extends StepType>(
  type: Type,
  abilities: Abilities,
  args: readonly string[],
  signal: AbortSignal,
): Promise<StepOutcome> {
  try {
    const row: StepRow<Type> = STEPS[type];
    const ability: Ability<Type> | undefined = abilities[type];
    const order = row.parse(args);
    if (!ability) return refuse(`This machine cannot do the step "${type}".`);
    return row.conclude(await ability(order, signal));
  } catch (error) {
    if (error instanceof StepFailed) return { exitCode: error.exitCode, output: error.output, error: error.message };
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

const refuse = (error: string): StepOutcome => ({ exitCode: REFUSED_EXIT_CODE, output: '', error });
const mediaLost = (): StepOutcome => ({
  exitCode: MEDIA_LOST_EXIT_CODE,
  output: '',
  error: 'The discovery image cannot be read any more; attach the virtual media again or reboot the host.',
});
