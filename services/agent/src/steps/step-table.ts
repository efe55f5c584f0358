import { toInventoryText } from '../machine/inventory';
import { parseStepArgs } from './step-args';
import type { StepType, StepWork } from './step-work';

/** How a step ended, as it is sent to the service. Exit code 0: `output` is the step's document. */
export interface StepOutcome {
  readonly exitCode: number;
  readonly output: string;
  readonly error: string;
}

/** One row per step type: how its arguments are read and how its result is sent. */
export interface StepRow<Type extends StepType> {
  parse(args: readonly string[]): StepWork[Type]['order'];
  conclude(result: StepWork[Type]['result']): StepOutcome;
}

/** Some image cannot be had. */
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
    conclude: (result) =>
      result.is_success
        ? document(result)
        : { exitCode: -1, output: JSON.stringify(result), error: 'A Tang server did not give its advertisement.' },
  },
  'installation-disk-speed-check': { parse: parseStepArgs['installation-disk-speed-check'], conclude: document },
  'container-image-availability': {
    parse: parseStepArgs['container-image-availability'],
    conclude: (result) => {
      const missing = result.images.filter((image) => image.result === 'failure').map((image) => image.name);
      if (missing.length === 0) return document(result);
      const error = `These images cannot be pulled: ${missing.join(', ')}.`;
      return { exitCode: IMAGES_MISSING_EXIT_CODE, output: JSON.stringify(result), error };
    },
  },
  install: { parse: parseStepArgs.install, conclude: silent },
  'stop-installation': { parse: parseStepArgs['stop-installation'], conclude: silent },
  'logs-gather': { parse: parseStepArgs['logs-gather'], conclude: silent },
  'upgrade-agent': { parse: parseStepArgs['upgrade-agent'], conclude: document },
  'download-boot-artifacts': { parse: parseStepArgs['download-boot-artifacts'], conclude: silent },
  'reboot-for-reclaim': { parse: parseStepArgs['reboot-for-reclaim'], conclude: silent },
};

export const isStepType = (text: string): text is StepType => Object.hasOwn(STEPS, text);
