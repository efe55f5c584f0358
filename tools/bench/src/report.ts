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

/** The rows of one benchmark. */
export interface Section {
  /** Value for `--only`. */
  readonly bench: string;
  readonly measurements: readonly Measurement[];
}

export const toPage = (sections: readonly Section[], isQuick: boolean): string => `# Benchmarks

Written by \`npm run bench -- --write\`; do not edit.${isQuick ? ' A quick run: these figures are not comparable.' : ''}
Machine: ${machine()}. Load generator, nats-server and Muster share its cores.
The budgets come from the design. A figure that misses its budget does not fail a test.
The reference work (JSON and SHA-256 of about 74 KB, in \`measureReferenceWork\`) shows how fast the machine was: it uses no code of Muster.

${sections.map(({ bench, measurements }) => `## ${bench}\n\n${toTable(measurements)}\n`).join('\n')}`;

const COMPARISON = '\n## Comparison\n\n';

/** Returns the page with another comparison of two commits. The comparison stays when other rows are measured again. */
export const withComparison = (page: string, comparison: string | undefined): string =>
  (page.split(COMPARISON)[0] ?? '') + (comparison === undefined ? '' : `${COMPARISON}${comparison.trim()}\n`);

export const comparisonIn = (page: string): string | undefined => page.split(COMPARISON)[1];

/**
 * Returns the sections of a page with those that were measured again, in the order of `benches`. A measured section replaces all rows of
 * its benchmark. Sections of other benchmarks than `benches`, and those of another machine, are discarded.
 */
export function mergeWithPage(
  page: string,
  measured: readonly Section[],
  benches: readonly string[],
): readonly Section[] {
  const known = page.includes(`Machine: ${machine()}.`) ? sectionsOf(withComparison(page, undefined)) : [];
  return benches.flatMap((name) => [...measured, ...known].find(({ bench }) => bench === name) ?? []);
}

const sectionsOf = (page: string): readonly Section[] =>
  page
    .split(/^## /m)
    .slice(1)
    .map((text) => ({ bench: text.split('\n', 1)[0] ?? '', measurements: rowsOf(text) }));

/** The rows of every table in a text. */
export const rowsOf = (text: string): readonly Measurement[] => text.split('\n').flatMap((line) => rowOf(line) ?? []);

/** Returns undefined when the line is not a row of figures. */
function rowOf(line: string): Measurement | undefined {
  const [, what = '', measured = '', budget = ''] = /^\| (.*?) +\| (.*?) +\| (.*?) *\|$/.exec(line) ?? [];
  return what === '' || what === HEADER.what || /^-+$/.test(what) ? undefined : { what, measured, budget };
}
