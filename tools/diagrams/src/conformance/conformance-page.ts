import type { Difference } from './difference';
import { type Reason, REASONS, reasonOf } from './reasons.table';

/** Operations that a row names one by one; of more it says how many. */
const NAMED_OPERATIONS_MAX = 2;
/** Longer texts (patterns) are cut. */
const CELL_MAX_CHARACTERS = 60;

export interface Counts {
  readonly operations: number;
  readonly served: number;
}

/** The page that lists what is left, grouped by why. */
export function conformancePage(differences: readonly Difference[], { operations, served }: Counts): string {
  const unexplained = differences.filter((difference) => reasonOf(difference) === undefined);
  return [
    '# Conformance with the contract',
    '',
    'Generated: the document that the gateway serves, compared with the contract operation by operation and field by field. Messages, limits, defaults and',
    'what is required are compared of requests; words, types and what is always there of answers. Sentences are not compared.',
    '',
    `${served} of ${operations} operations are served. What differs, and why:`,
    '',
    ...REASONS.flatMap((reason) =>
      section(
        reason,
        differences.filter((difference) => reasonOf(difference) === reason),
      ),
    ),
    ...(unexplained.length === 0 ? [] : [...section(UNEXPLAINED, unexplained)]),
  ].join('\n');
}

const UNEXPLAINED: Pick<Reason, 'id' | 'why'> = { id: 'Unexplained', why: 'Nobody has looked at these yet.' };

function section({ id, why }: Pick<Reason, 'id' | 'why'>, differences: readonly Difference[]): readonly string[] {
  if (differences.length === 0) return [];
  return [`## ${id}`, '', why, '', ...differencesTable(differences), ''];
}

/** One row for the same difference at several operations, padded as the formatter wants it. */
export function differencesTable(differences: readonly Difference[]): readonly string[] {
  const rows = new Map<string, { readonly cells: readonly string[]; readonly operations: Set<string> }>();
  for (const { operation, part, place, aspect, contract, own } of differences) {
    const cells = [`${part} ${code(withoutHolders(place))}`.trim(), aspect, code(contract), code(own)];
    const row = rows.get(cells.join('|')) ?? { cells, operations: new Set() };
    row.operations.add(operation);
    rows.set(cells.join('|'), row);
  }
  const table = [
    ['What', 'Difference', 'Contract', 'Here', 'Where'],
    ...[...rows.values()].map(({ cells, operations }) => [...cells, named([...operations])]),
  ];
  const widths = (table[0] ?? []).map((_, column) => Math.max(3, ...table.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [header = [], ...body] = table;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)];
}

/** Hosts are the same in lists and in clusters. */
const withoutHolders = (place: string): string => place.replace(/^(?:hosts)?\[\]\.(?:hosts\[\]\.)?/, '');

const code = (text: string): string => {
  if (text === '') return '';
  const cut = text.length > CELL_MAX_CHARACTERS ? `${text.slice(0, CELL_MAX_CHARACTERS)}…` : text;
  return `\`${cut.replace(/\|/g, '\\|')}\``;
};

const named = (operations: readonly string[]): string =>
  operations.length > NAMED_OPERATIONS_MAX
    ? `${operations.length} operations, such as \`${operations[0] ?? ''}\``
    : operations.map((operation) => `\`${operation}\``).join(', ');
