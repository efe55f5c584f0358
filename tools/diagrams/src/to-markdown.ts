import { CLUSTER_TIMEOUT_TABLE, HOST_TIMEOUT_TABLE } from '@muster/domain';
import type { StateTable, TableRow } from './state-table';

const NOTE = '<!-- Generated from the tables of libs/domain by tools/diagrams. Do not edit. -->';
const MS_PER_MINUTE = 60_000;

/** Renders the page of one table: pictures, rows by command, refusals, and guard variables. */
export function toMarkdown(table: StateTable): string {
  const commands = [...new Set(table.rows.map(({ on }) => on))];
  return [
    NOTE,
    '',
    `# ${table.title}`,
    '',
    table.intro,
    '',
    `${table.rows.length} rows, ${table.refusals.length} refusals. Rows are disjoint and have no order: for every status, command, and combination of guard values exactly one row applies.`,
    '',
    ...table.views.flatMap(({ name, title }) => [`![${title}](${name}.svg)`, '']),
    `The whole graph as Mermaid: [${table.name}.mmd](${table.name}.mmd).`,
    '',
    ...commands.flatMap((command) => [
      `## ${command}`,
      '',
      ...grid(
        ['row', 'from', 'when', 'to', 'why'],
        table.rows
          .filter(({ on }) => on === command)
          .map((row) => [code(row.id), statuses(row), guard(row), code(row.to), row.why]),
      ),
      '',
    ]),
    '## Refused',
    '',
    ...grid(
      ['row', 'on', 'from', 'when', 'code', 'why'],
      table.refusals.map((row) => [code(row.id), row.on, statuses(row), guard(row), code(row.code), row.why]),
    ),
    '',
    '## Guard variables',
    '',
    ...grid(
      ['variable', 'values'],
      Object.entries(table.variables).map(([name, values]) => [
        code(name),
        values.map((value) => code(String(value))).join(' '),
      ]),
    ),
    '',
  ].join('\n');
}

/** Renders the page of time limits: setting and default of each. */
export function timeoutsPage(): string {
  const minutes = (ms: number): string => `${ms / MS_PER_MINUTE} min`;
  return [
    NOTE,
    '',
    '# Time limits',
    '',
    'A passed limit is stored as an event. The rows of `PassDeadline` and `Refresh` define the consequence. A later success is still accepted.',
    '',
    '## Cluster',
    '',
    ...grid(
      ['limit', 'setting', 'default', 'default with soft timeouts', 'why'],
      CLUSTER_TIMEOUT_TABLE.map((row) => [row.name, code(row.env), minutes(row.hardMs), minutes(row.softMs), row.why]),
    ),
    '',
    '## Host',
    '',
    ...grid(
      ['limit', 'setting', 'default', 'why'],
      HOST_TIMEOUT_TABLE.map((row) => [row.name, row.env ? code(row.env) : '–', minutes(row.defaultMs), row.why]),
    ),
    '',
  ].join('\n');
}

export function indexPage(tables: readonly StateTable[]): string {
  return [
    NOTE,
    '',
    '# State machines',
    '',
    'Generated from the decision tables. `node tools/diagrams/dist/main.js` regenerates these pages; `--check` verifies that they are current.',
    '',
    ...tables.map(
      ({ name, title, rows, refusals }) => `- [${title}](${name}.md): ${rows.length} rows, ${refusals.length} refusals`,
    ),
    '- [Time limits](timeouts.md)',
    '',
  ].join('\n');
}

function grid(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

const code = (words: string): string => `\`${words}\``;
const statuses = (row: TableRow): string => row.from.map(code).join(' ');

function guard(row: TableRow): string {
  const parts = Object.entries(row.when ?? {}).flatMap(([name, values]) =>
    values ? [`${name}: ${values.map(String).join(' or ')}`] : [],
  );
  return parts.length === 0 ? '–' : parts.join('; ');
}
