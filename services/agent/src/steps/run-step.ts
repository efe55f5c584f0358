import { errorMessage } from '@muster/schema';
import { toInventoryText } from '../machine/inventory';
import { type Abilities, type Ability, type Machine, StepFailed } from '../machine/machine.port';
import { parseStepArgs } from './step-args';
import type { StepType, StepWork } from './step-work';

/** Result of a step as it is sent to the service. With exit code 0, `output` is the document of the step. */
export interface StepOutcome {
  readonly exitCode: number;
  readonly output: string;
  readonly error: string;
}

/** One row per step type: its argument parser and the encoding of its result. */
export interface StepRow<Type extends StepType> {
  parse(args: readonly string[]): StepWork[Type]['order'];
  conclude(result: StepWork[Type]['result']): StepOutcome;
}

/** At least one image is not available. */
const IMAGES_MISSING_EXIT_CODE = 2;

const done = (output: string): StepOutcome => ({ exitCode: 0, output, error: '' });
const document = (result: unknown): StepOutcome => done(JSON.stringify(result));
const silent = (): StepOutcome => done('');

export const STEPS: { readonly [Type in StepType]: StepRow<Type> } = {
  inventory: { parse: parseStepArgs.inventory, conclude: (result) => done(toInventoryText(result)) },
  'connectivity-check': {
    parse: parseStepArgs['connectivity-check'],
    conclude: ({ remote_hosts }) =>
      document({ remote_hosts: [...remote_hosts].sort((a, b) => (a.host_id < b.host_id ? -1 : 1)) }),
  },
  'free-network-addresses': { parse: parseStepArgs['free-network-addresses'], conclude: document },
  'dhcp-lease-allocate': { parse: parseStepArgs['dhcp-lease-allocate'], conclude: document },
  'ntp-synchronizer': { parse: parseStepArgs['ntp-synchronizer'], conclude: document },
  'domain-resolution': { parse: parseStepArgs['domain-resolution'], conclude: document },
  'verify-vips': { parse: parseStepArgs['verify-vips'], conclude: document },
  'api-vip-connectivity-check': {
    parse: parseStepArgs['api-vip-connectivity-check'],
    conclude: (result) => ({ ...document(result), error: result.is_success ? '' : 'ignition download error' }),
  },
  'tang-connectivity-check': {
    parse: parseStepArgs['tang-connectivity-check'],
    conclude: ({ reason = '', ...result }) =>
      result.is_success ? document(result) : { exitCode: -1, output: JSON.stringify(result), error: reason },
  },
  'installation-disk-speed-check': { parse: parseStepArgs['installation-disk-speed-check'], conclude: document },
  'container-image-availability': {
    parse: parseStepArgs['container-image-availability'],
    conclude: ({ images }) => {
      const report = document({ images: images.map(({ reason: _, ...image }) => image) });
      const missing = images.filter(({ result }) => result === 'failure');
      if (missing.length === 0) return report;
      const texts = missing.map(({ name, reason }) => (reason ? `${name} (${reason})` : name));
      const error = `These images cannot be pulled: ${texts.join(', ')}.`;
      return { ...report, exitCode: IMAGES_MISSING_EXIT_CODE, error };
    },
  },
  install: { parse: parseStepArgs.install, conclude: silent },
  'stop-installation': { parse: parseStepArgs['stop-installation'], conclude: silent },
  'logs-gather': { parse: parseStepArgs['logs-gather'], conclude: silent },
  'upgrade-agent': {
    parse: parseStepArgs['upgrade-agent'],
    conclude: ({ reason = '', ...result }) => ({ ...document(result), error: reason }),
  },
  'download-boot-artifacts': { parse: parseStepArgs['download-boot-artifacts'], conclude: silent },
  'reboot-for-reclaim': { parse: parseStepArgs['reboot-for-reclaim'], conclude: silent },
};

export const isStepType = (text: string): text is StepType => Object.hasOwn(STEPS, text);

/** The discovery image cannot be read any more, so other results of the step are not reliable. */
export const MEDIA_LOST_EXIT_CODE = 256;
const REFUSED_EXIT_CODE = -1;
/** Returns the exit code of a process that ran the step. The system keeps eight bits of it, so 256 would mean success. */
export const toProcessExitCode = (exitCode: number): number => (exitCode === MEDIA_LOST_EXIT_CODE ? 1 : exitCode);

/** Runs one step. Never throws: a failure is returned as exit code and reason. */
export async function runStep(
  machine: Machine,
  stepType: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<StepOutcome> {
  if (!isStepType(stepType)) return refuse(`This agent does not support the step type "${stepType}".`);
  if (!(await machine.isMediaReadable())) return mediaLost();
  const performed = await perform(stepType, machine.abilities, args, signal);
  // The service refuses a reply whose error is cut within a character.
  const outcome = { ...performed, error: performed.error.toWellFormed() };
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
    if (!ability) return refuse(`This machine does not support the step "${type}".`);
    return row.conclude(await ability(order, signal));
  } catch (error) {
    if (error instanceof StepFailed) return { exitCode: error.exitCode, output: error.output, error: error.message };
    return refuse(errorMessage(error));
  }
}

const refuse = (error: string): StepOutcome => ({ exitCode: REFUSED_EXIT_CODE, output: '', error });
const mediaLost = (): StepOutcome => ({
  exitCode: MEDIA_LOST_EXIT_CODE,
  output: '',
  error: 'The discovery image cannot be read. Attach the virtual media again, or reboot the host.',
});
