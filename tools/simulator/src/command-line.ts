import { parseArgs } from 'node:util';
import { keysOf } from '@muster/schema';
import { HARDWARE_FAULTS } from './hardware/hardware';
import type { SimulatedFleetOptions } from './simulated-fleet';
import { DEFAULT_NAMES_FOLDER } from './world/server-names';

export const USAGE = `simulator: boots simulated hosts from a discovery image, against any service of the v2 contract.

The hosts run until the simulator is stopped (Ctrl-C), installed clusters included. Hosts of another simulator process
on this computer can join such a cluster: it finds the machine-config server by the name or address in the config of the host.

  simulator --image-url URL | --iso FILE [options]

  --count N            machines (default: 3)
  --seed TEXT          the same seed builds the same machines (default: muster)
  --time-scale X       1: real time, 60: a minute passes in a second (default: 60)
  --network CIDR       IPv4 network of the machines (default: 192.168.111.0/24)
  --first-address N    number of the first machine's address in the network (default: 20)
  --prefix NAME        host names begin with it (default: host)
  --fault ID           the first machine has it: ${Object.keys(HARDWARE_FAULTS).join(', ')}
  --repair-after S     seconds until the fault of --fault is repaired
  --lost-replies X     share of replies that get lost, 0 to 1
  --names FOLDER       processes with the same folder find each other's clusters (default: ${DEFAULT_NAMES_FOLDER})
  --http               do not use NATS even where the image offers it
  --help, -h           show this text
`;

export interface SimulatorCommandLine {
  readonly imageUrl?: string;
  readonly iso?: string;
  readonly repairAfterSeconds?: number;
  readonly wantsHelp: boolean;
  readonly fleet: SimulatedFleetOptions;
}

/** @throws Error with the name of the invalid flag */
export function parseCommandLine(args: readonly string[]): SimulatorCommandLine {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      'image-url': text,
      iso: text,
      count: text,
      seed: text,
      'time-scale': text,
      network: text,
      'first-address': text,
      names: text,
      prefix: text,
      fault: text,
      'repair-after': text,
      'lost-replies': text,
      http: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const number = (flag: keyof typeof values, low: number, high: number): number | undefined => {
    const value = values[flag];
    if (value === undefined) return undefined;
    const parsed = Number(value);
    if (!(parsed >= low && parsed <= high)) throw new Error(`--${flag} must be a number from ${low} to ${high}.`);
    return parsed;
  };
  const integer = (flag: keyof typeof values, low: number, high: number): number | undefined => {
    const value = number(flag, low, high);
    if (value !== undefined && !Number.isInteger(value)) throw new Error(`--${flag} must be an integer.`);
    return value;
  };
  const fault = keysOf(HARDWARE_FAULTS).find((id) => id === values.fault);
  if (values.fault !== undefined && !fault)
    throw new Error(`--fault must be one of ${Object.keys(HARDWARE_FAULTS).join(', ')}.`);
  if (values.iso !== undefined && values['image-url'] !== undefined)
    throw new Error('Give either --image-url or --iso.');
  const repairAfterSeconds = number('repair-after', 0, 86_400);
  if (repairAfterSeconds !== undefined && !fault) throw new Error('--repair-after needs --fault.');
  const lostReplies = number('lost-replies', 0, 1);
  const count = integer('count', 1, 100_000) ?? 3;
  return {
    imageUrl: values['image-url'],
    iso: values.iso,
    repairAfterSeconds,
    wantsHelp: values.help ?? false,
    fleet: {
      machines: Array.from({ length: count }, (_, index) => ({
        fault: index === 0 ? fault : undefined,
        mishaps: { lostReplies },
      })),
      seed: values.seed ?? 'muster',
      timeScale: number('time-scale', 0.001, 100_000) ?? 60,
      machineNetwork: values.network,
      firstAddress: integer('first-address', 2, 16_777_214),
      serverNamesFolder: values.names ?? DEFAULT_NAMES_FOLDER,
      namePrefix: values.prefix,
      transport: values.http ? 'http' : 'nats',
    },
  };
}
