import { cpus, totalmem } from 'node:os';
import type { Measurement } from './measurement';

const HEADER: Measurement = { what: 'what', measured: 'measured', budget: 'budget' };

export const toTable = (measurements: readonly Measurement[]): string =>
  toMarkdown([HEADER, ...measurements].map(({ what, measured, budget }) => [what, measured, budget]));

/** Returns a Markdown table with aligned columns. The first row is the header. */
export function toMarkdown(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map(
    (row) => `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`,
  );
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return lines.join('\n');
}

export function machine(): string {
  const [cpu] = cpus();
  return `${cpus().length} × ${cpu?.model.trim() ?? 'unknown CPU'}, ${Math.round(totalmem() / 1024 ** 3)} GiB, Node ${process.version}`;
}

export const toPage = (measurements: readonly Measurement[], isQuick: boolean): string => `# Benchmarks

Written by \`npm run bench -- --write\`; do not edit.${isQuick ? ' A quick run: these figures are not comparable.' : ''}
Machine: ${machine()}. Load generator, nats-server and Muster share its cores.
The budgets come from the design. A figure above its budget does not fail a test.

${toTable(measurements)}
`;

const COMPARISON = '\n## Comparison\n\n';

/** Returns the page with another comparison of two commits. The comparison stays when other rows are measured again. */
export const withComparison = (page: string, comparison: string | undefined): string =>
  (page.split(COMPARISON)[0] ?? '') + (comparison === undefined ? '' : `${COMPARISON}${comparison.trim()}\n`);

export const comparisonIn = (page: string): string | undefined => page.split(COMPARISON)[1];

/**
 * Merges new figures into a page: measured rows are replaced in place, new ones are appended. The rows of a page of
 * another machine are discarded.
 */
export function mergeWithPage(page: string, measurements: readonly Measurement[]): readonly Measurement[] {
  if (!page.includes(`Machine: ${machine()}.`)) return measurements;
  const fresh = new Map(measurements.map((one) => [one.what, one]));
  const known = rowsOf(withComparison(page, undefined));
  const kept = known.map((one) => fresh.get(one.what) ?? one);
  const names = new Set(known.map(({ what }) => what));
  return [...kept, ...measurements.filter(({ what }) => !names.has(what))];
}

/** The rows of every table in a text. */
export const rowsOf = (text: string): readonly Measurement[] => text.split('\n').flatMap((line) => rowOf(line) ?? []);

/** Returns undefined when the line is not a row of figures. */
function rowOf(line: string): Measurement | undefined {
  const [, what = '', measured = '', budget = ''] = /^\| (.*?) +\| (.*?) +\| (.*?) *\|$/.exec(line) ?? [];
  return what === '' || what === HEADER.what || /^-+$/.test(what) ? undefined : { what, measured, budget };
}
