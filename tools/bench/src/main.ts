import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createBenchBed } from './bench-bed';
import { compareWith } from './compare';
import { BENCHES, parseCommandLine, USAGE, UsageError } from './command-line';
import { type Measurement, measureReferenceWork, milliseconds } from './measurement';
import { comparisonIn, machine, mergeWithPage, type Section, toPage, toTable, withComparison } from './report';

const PAGE = join(__dirname, '..', '..', '..', 'docs', 'benchmarks.md');

const QUICK = ', quick run: figures are not comparable';
const readPage = (): string => (existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '');
const tell = (text: string): void => console.error(`bench: ${text}`);

/** Figures of two machines, or of two days, can be compared by it. */
const toReferenceRow = (bench: string, before: number, after: number): Measurement => ({
  what: `${bench}: reference work`,
  measured: `${milliseconds(before)} CPU before, ${milliseconds(after)} after`,
  budget: '',
});

/** A failed benchmark is marked in the table and in the exit code; a slow one is not. */
async function main(args: readonly string[]): Promise<number> {
  const options = parseCommandLine(args);
  if (!options) {
    console.log(USAGE);
    return 0;
  }
  if (options.compare) {
    const { ref, rounds } = options.compare;
    const table = await compareWith(ref, { ...options, rounds, tell });
    const text = `${machine()}${options.isQuick ? QUICK : ''}\n${table}`;
    console.log(text);
    if (options.writes) writeFileSync(PAGE, withComparison(readPage(), text));
    return 0;
  }
  const bed = createBenchBed({ ...options, tell });
  const sections: Section[] = [];
  let broken = 0;
  try {
    for (const { name, run } of options.benches) {
      bed.tell(name);
      try {
        const before = measureReferenceWork();
        const measurements = await run(bed);
        sections.push({
          bench: name,
          measurements: [...measurements, toReferenceRow(name, before, measureReferenceWork())],
        });
      } catch (error) {
        broken += 1;
        console.error(error);
        sections.push({ bench: name, measurements: [{ what: name, measured: 'failed, see above', budget: '' }] });
      }
    }
  } finally {
    bed.remove();
  }
  const measurements = sections.flatMap((section) => section.measurements);
  console.log(`${machine()}${options.isQuick ? QUICK : ''}\n\n${toTable(measurements)}`);
  if (options.writes) {
    const before = readPage();
    const names = BENCHES.map(({ name }) => name);
    const page = toPage(mergeWithPage(before, sections, names), options.isQuick);
    writeFileSync(PAGE, withComparison(page, comparisonIn(before)));
  }
  return broken === 0 ? 0 : 1;
}

// What runs or has files removes them at the exit of the process, which a signal without a handler does not cause.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => process.exit(128 + constants.signals[signal]));

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof UsageError ? `bench: ${error.message}\n\n${USAGE}` : error);
    process.exit(2);
  },
);
