import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBenchBed } from './bench-bed';
import { compareWith } from './compare';
import { BENCHES, parseCommandLine, USAGE, UsageError } from './command-line';
import type { Measurement } from './measurement';
import { comparisonIn, machine, mergeWithPage, toPage, toTable, withComparison } from './report';

const PAGE = join(__dirname, '..', '..', '..', 'docs', 'benchmarks.md');

const QUICK = ', quick run: figures are not comparable';
const readPage = (): string => (existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '');
const tell = (text: string): void => console.error(`bench: ${text}`);

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
  const measurements: Measurement[] = [];
  let broken = 0;
  try {
    for (const { name, run } of options.benches) {
      bed.tell(name);
      try {
        measurements.push(...(await run(bed)));
      } catch (error) {
        broken += 1;
        console.error(error);
        measurements.push({ what: name, measured: 'failed, see above', budget: '' });
      }
    }
  } finally {
    bed.remove();
  }
  console.log(`${machine()}${options.isQuick ? QUICK : ''}\n\n${toTable(measurements)}`);
  if (options.writes) {
    const isPartial = options.benches.length < BENCHES.length;
    const before = readPage();
    const page = isPartial && before !== '' ? mergeWithPage(before, measurements) : measurements;
    writeFileSync(PAGE, withComparison(toPage(page, options.isQuick), comparisonIn(before)));
  }
  return broken === 0 ? 0 : 1;
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof UsageError ? `bench: ${error.message}\n\n${USAGE}` : error);
    process.exit(2);
  },
);
