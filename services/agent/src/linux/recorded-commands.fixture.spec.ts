import type { Machine } from '../machine/machine.port';
import { runStep } from '../steps/run-step';
import { type CommandResult, type CommandSettings, ProgramMissing, type RunCommand } from './command';

const { signal } = new AbortController();

interface Recorded {
  readonly run: RunCommand;
  readonly lines: string[];
  readonly given: (CommandSettings | undefined)[];
}

/** Programs in `rows` exist and return the given output. All others are missing. */
export function recorded(rows: { readonly [start: string]: string | Partial<CommandResult> }): Recorded {
  const lines: string[] = [];
  const given: (CommandSettings | undefined)[] = [];
  const run: RunCommand = async (program, args, _signal, settings) => {
    const line = [program, ...args].join(' ');
    lines.push(line);
    given.push(settings);
    const found = Object.entries(rows)
      .sort(([a], [b]) => b.length - a.length)
      .find(([start]) => line.startsWith(start))?.[1];
    if (found === undefined && !Object.keys(rows).some((start) => start.split(' ')[0] === program))
      throw new ProgramMissing(program);
    return { exitCode: 0, stdout: '', ...(typeof found === 'string' ? { stdout: found } : found) };
  };
  return { run, lines, given };
}

/** Runs a step, and returns its output as a value. */
export const step = async (machine: Machine, type: string, args: unknown, ...more: string[]) => {
  const { error, exitCode, output } = await runStep(machine, type, [JSON.stringify(args), ...more], signal);
  return { exitCode, error, result: output === '' ? undefined : (JSON.parse(output) as unknown) };
};
