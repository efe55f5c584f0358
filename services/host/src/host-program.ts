import { getAsset, isSea } from 'node:sea';
import { printInventory, runAgentProgram, runStepProgram } from '@muster/service-agent';
import { runControllerProgram } from './controller-program';
import { runInstallProgram } from './install-program';

interface Subcommand {
  readonly meaning: string;
  /** Returns the exit code. */
  readonly run: (args: readonly string[]) => Promise<number>;
}

const done = (work: Promise<void>): Promise<number> => work.then(() => 0);

/** `muster-host:<version>`, which `tools/build-host.mjs` adds to the executable. Undefined outside an executable. */
const ownVersion = (): string | undefined => (isSea() ? getAsset('version', 'utf8') : undefined);

const SUBCOMMANDS: ReadonlyMap<string, Subcommand> = new Map<string, Subcommand>([
  [
    'agent',
    { meaning: 'register this machine and run its steps', run: (args) => done(runAgentProgram(args, ownVersion())) },
  ],
  [
    'install',
    { meaning: 'install this machine as one host of a cluster', run: (args) => done(runInstallProgram(args)) },
  ],
  [
    'controller',
    { meaning: 'finish an installation from inside the new cluster', run: () => done(runControllerProgram()) },
  ],
  ['step', { meaning: 'run one step of the agent: step <name> [argument…]', run: runStepProgram }],
  ['inventory', { meaning: 'print the inventory of this machine as JSON', run: () => done(printInventory()) }],
]);

const USAGE = `muster-host: the programs of Muster for a host.

${[...SUBCOMMANDS].map(([name, { meaning }]) => `  muster-host ${name.padEnd(11)} ${meaning}`).join('\n')}

"muster-host agent --help" lists the flags of the agent.
`;

/**
 * Runs a subcommand and returns the exit code of the process.
 * @throws Error that describes the mistake in the command line
 */
export async function runHostProgram([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || name === 'help' || name === '--help') {
    process.stdout.write(USAGE);
    return name === undefined ? USAGE_EXIT_CODE : 0;
  }
  const subcommand = SUBCOMMANDS.get(name);
  if (!subcommand)
    throw new Error(`There is no subcommand "${name}". Subcommands: ${[...SUBCOMMANDS.keys()].join(', ')}.`);
  return subcommand.run(args);
}

const USAGE_EXIT_CODE = 2;
