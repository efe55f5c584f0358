import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bench, type Measurement, percentile } from './measurement';
import { rowsOf, toMarkdown } from './report';

const OWN_TREE = join(__dirname, '..', '..', '..');
const BENCH_PROGRAM = join('tools', 'bench', 'dist', 'main.js');
/** Main file of Muster in a built tree, in order of preference. Earlier commits have another path. */
const MUSTER_PROGRAMS = ['services/muster/dist/main.js', 'tools/launcher/dist/main.js'];

/** The table of one run of a commit, by the name of the row. */
export type Run = ReadonlyMap<string, string>;

/** One round: both commits, one after the other on the same machine. */
export interface Round {
  readonly before: Run;
  readonly after: Run;
}

/**
 * Runs benchmarks of a commit and of this tree alternately and returns a table of ratios. The commit gets a worktree and packages of its
 * own. A benchmark that measures requests runs from this tree against both programs; every other one runs from its own tree.
 */
export async function compareWith(
  ref: string,
  options: {
    readonly benches: readonly Bench[];
    readonly rounds: number;
    readonly isQuick: boolean;
    readonly tell: (text: string) => void;
  },
): Promise<string> {
  const { benches, isQuick, tell } = options;
  const other = prepareTree(ref, tell);
  const rounds: Round[] = [];
  const loads: string[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const tables = { before: new Map<string, string>(), after: new Map<string, string>() };
    // The order alternates, so that a machine that becomes slower affects both commits equally.
    const order = round % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const);
    for (const bench of benches)
      for (const side of order) {
        tell(`round ${round + 1} of ${options.rounds}, ${bench.name}, ${side === 'before' ? ref : 'this tree'}`);
        const rows = await runBench(commandOf(bench, side === 'before' ? other : OWN_TREE, isQuick));
        for (const { what, measured } of rows) tables[side].set(what, measured);
      }
    rounds.push(tables);
    loads.push((loadavg()[0] ?? 0).toFixed(1));
  }
  return `${ref} (before) and this tree (after), ${rounds.length} rounds in alternating order. A ratio above 1 means slower or more.\nLoad average of the machine during the run: ${loads.join(', ')} on ${cpus().length} cores. Where it exceeds the number of cores, other programs ran as well.\n\n${ratioTable(rounds)}`;
}

/** Rows that both commits have in every round. */
export function ratioTable(rounds: readonly Round[]): string {
  const names = [...(rounds[0]?.after.keys() ?? [])];
  const rows = names.flatMap((what) => {
    const before = rounds.flatMap((round) => costIn(round.before.get(what)) ?? []);
    const after = rounds.flatMap((round) => costIn(round.after.get(what)) ?? []);
    if (before.length < rounds.length || after.length < rounds.length) return [];
    const ratios = after.map((value, index) => value / (before[index] ?? NaN));
    const [lowest, highest] = [Math.min(...ratios), Math.max(...ratios)];
    // An even number of rounds has two ratios in the middle. Using only the lower one would favour this tree.
    const median =
      (percentile(ratios, 0.5) -
        percentile(
          ratios.map((ratio) => -ratio),
          0.5,
        )) /
      2;
    const noise = Math.max(...[before, after].map((values) => Math.max(...values) / Math.min(...values)));
    return [
      [
        what,
        firstFigureOf(rounds, 'before', what),
        firstFigureOf(rounds, 'after', what),
        `${twoDigits(median)} (${twoDigits(lowest)} to ${twoDigits(highest)})`,
        rounds.length === 1 ? '–' : twoDigits(noise),
        rounds.length === 1 ? 'one round only' : toResult(median, lowest, highest, noise),
      ],
    ];
  });
  return toMarkdown([['what', 'before', 'after', 'ratio (lowest to highest)', 'noise', 'result'], ...rows]);
}

/** `noise`: how many times the highest figure of one commit exceeds its lowest. */
function toResult(median: number, lowest: number, highest: number, noise: number): string {
  if (lowest > 1 && median > noise) return 'slower';
  return highest < 1 && median < 1 / noise ? 'faster' : 'within the noise';
}

const FIGURE = /(?:^|[^\w.])(\d[\d ]*(?:\.\d+)?) ?(ms|s|KiB|MB\/s|\/s|% of a core)(?![\w/])/;
/** Factors for conversion to milliseconds. Other units are not converted. */
const SCALE: ReadonlyMap<string, number> = new Map([['s', 1_000]]);

/** The first figure of a row as a cost: a rate counts as its inverse. Undefined when the row has no figure with a unit. */
export function costIn(measured: string | undefined): number | undefined {
  const [, digits = '', unit = ''] = FIGURE.exec(measured ?? '') ?? [];
  const value = Number(digits.replaceAll(' ', '')) * (SCALE.get(unit) ?? 1);
  if (digits === '' || value === 0) return undefined;
  return unit.endsWith('/s') ? 1 / value : value;
}

/** The first figure of the round in the middle, as it was printed. */
function firstFigureOf(rounds: readonly Round[], side: keyof Round, what: string): string {
  const texts = rounds.map((round) => round[side].get(what) ?? '');
  const sorted = texts.sort((a, b) => (costIn(a) ?? 0) - (costIn(b) ?? 0));
  const [, digits = '', unit = ''] = FIGURE.exec(sorted[Math.floor((sorted.length - 1) / 2)] ?? '') ?? [];
  return unit.startsWith('/') ? `${digits}${unit}` : `${digits} ${unit}`;
}

const twoDigits = (value: number): string => value.toFixed(2);

/** A built worktree of a commit, kept in the temporary directory for the next comparison. */
function prepareTree(ref: string, tell: (text: string) => void): string {
  const commit = capture('git', ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
  if (commit === undefined) throw new Error(`There is no commit ${ref} in this repository.`);
  const folder = join(tmpdir(), 'muster-compare', commit.slice(0, 12));
  if (!existsSync(join(folder, 'package.json'))) {
    mkdirSync(join(folder, '..'), { recursive: true });
    // A worktree whose folder was deleted is still registered.
    run('git', ['worktree', 'prune'], OWN_TREE);
    run('git', ['worktree', 'add', '--detach', '--force', folder, commit], OWN_TREE);
  }
  tell(`installing and building ${ref} in ${folder}`);
  run(process.execPath, ['tools/setup.mjs'], folder);
  run('npm', ['run', '--silent', 'build'], folder);
  return folder;
}

function commandOf(bench: Bench, tree: string, isQuick: boolean): readonly string[] {
  const options = ['--only', bench.name, ...(isQuick ? ['--quick'] : [])];
  if (tree === OWN_TREE || !bench.takesProgram) return [join(tree, BENCH_PROGRAM), ...options];
  const program = MUSTER_PROGRAMS.map((path) => join(tree, path)).find(existsSync);
  if (!program) throw new Error(`${tree} has none of ${MUSTER_PROGRAMS.join(', ')}.`);
  return [join(OWN_TREE, BENCH_PROGRAM), ...options, '--program', program];
}

/**
 * Returns the rows of the table that the program prints. A failed benchmark has no figure. Rejects when there is no
 * table.
 */
function runBench(args: readonly string[]): Promise<readonly Measurement[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const endAtExit = (): void => void child.kill();
    process.once('exit', endAtExit);
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => {
      process.removeListener('exit', endAtExit);
      const rows = rowsOf(text);
      if (rows.length > 0) resolve(rows);
      else reject(new Error(`node ${args.join(' ')} ended with ${code} and printed no figures.`));
    });
  });
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NX_DAEMON: 'false' },
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} in ${cwd} ended with ${status}.`);
}

function capture(command: string, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(command, args, { cwd: OWN_TREE, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
