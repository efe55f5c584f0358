import { CLUSTER_TABLE, CLUSTER_TIMEOUT_TABLE, HOST_TABLE, HOST_TIMEOUT_TABLE, INFRA_ENV_TABLE } from '@muster/domain';

/** The members of a decision-table row that a diagram uses. */
export interface TableRow {
  readonly id: string;
  readonly from: readonly string[];
  readonly on: string;
  readonly when?: Readonly<Record<string, readonly (string | boolean)[] | undefined>>;
  readonly to: string;
  readonly why: string;
}

/** One picture: a subset of the transitions. */
export interface View {
  readonly name: string;
  readonly title: string;
  /** Direction of time. Wide graphs are easier to read from left to right. */
  readonly direction: 'down' | 'right';
  readonly shows: (from: string, to: string, on: string) => boolean;
}

export interface StateTable {
  /** Name of the page and prefix of its pictures. */
  readonly name: string;
  readonly title: string;
  readonly intro: string;
  readonly start: string;
  readonly rows: readonly TableRow[];
  readonly refusals: readonly (TableRow & { readonly code: string })[];
  readonly variables: Readonly<Record<string, readonly (string | boolean)[]>>;
  /** Commands for which pictures show the row id instead of the command. */
  readonly unspeaking: readonly string[];
  readonly views: readonly View[];
}

const INSPECTION = [
  'unregistered',
  'discovering',
  'disconnected',
  'insufficient',
  'pending-for-input',
  'known',
  'binding',
];
const INSTALLATION = [
  'known',
  'preparing-for-installation',
  'preparing-failed',
  'preparing-successful',
  'installing',
  'installing-in-progress',
  'installing-pending-user-action',
  'installed',
  'added-to-existing-cluster',
  'error',
  'cancelled',
];
const UNBOUND = [
  'unregistered',
  'discovering-unbound',
  'disconnected-unbound',
  'insufficient-unbound',
  'known-unbound',
  'binding',
  'reclaiming',
  'reclaiming-rebooting',
  'unbinding',
  'unbinding-pending-user-action',
];
/** The transitions, the refusals and the guard variables of a decision table. */
function partsOf({
  rows,
  variables,
}: {
  readonly rows: readonly (TableRow & { readonly refuse?: { readonly code: string } })[];
  readonly variables: StateTable['variables'];
}): Pick<StateTable, 'rows' | 'refusals' | 'variables'> {
  return {
    rows: rows.filter(({ refuse }) => !refuse),
    refusals: rows.flatMap((row) => (row.refuse ? [{ ...row, code: row.refuse.code }] : [])),
    variables,
  };
}

const both =
  (statuses: readonly string[]) =>
  (from: string, to: string): boolean =>
    statuses.includes(from) && statuses.includes(to);
const isInspection = both(INSPECTION);
const isInstallation = both(INSTALLATION);
const isUnbound = both(UNBOUND);

export const STATE_TABLES: readonly StateTable[] = [
  {
    name: 'cluster',
    title: 'The cluster',
    intro:
      'From the registration to a running cluster and to additional hosts. `unregistered` and `deregistered` are the start and the end of the stream. The other statuses are those of the v2 API.',
    start: 'unregistered',
    ...partsOf(CLUSTER_TABLE),
    unspeaking: ['Refresh', 'PassDeadline'],
    views: [
      {
        name: 'cluster',
        title: 'The cluster without deregistration',
        direction: 'down',
        shows: (_, to) => to !== 'deregistered',
      },
    ],
  },
  {
    name: 'host',
    title: 'The host',
    intro:
      'From the registration to a node of a cluster and back. `unregistered` is the status before the first and after the last registration. The other statuses are those of the v2 API.',
    start: 'unregistered',
    ...partsOf(HOST_TABLE),
    unspeaking: ['Refresh', 'PassDeadline', 'ReportProgress'],
    views: [
      {
        name: 'host-inspection',
        title: 'Inspection, until the host is ready',
        direction: 'down',
        shows: isInspection,
      },
      { name: 'host-installation', title: 'Preparation and installation', direction: 'down', shows: isInstallation },
      { name: 'host-unbound', title: 'Without a cluster', direction: 'down', shows: isUnbound },
      {
        name: 'host-leaving',
        title: 'Leaving an installation or a cluster: reset, unbound, reclaimed, or lost',
        direction: 'right',
        shows: (from, to) =>
          to !== 'unregistered' && !isInspection(from, to) && !isInstallation(from, to) && !isUnbound(from, to),
      },
    ],
  },
  {
    name: 'infra-env',
    title: 'The infra-env',
    intro: 'An infra-env is registered or deregistered.',
    start: 'unregistered',
    ...partsOf(INFRA_ENV_TABLE),
    unspeaking: [],
    views: [{ name: 'infra-env', title: 'The infra-env', direction: 'down', shows: () => true }],
  },
];

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
    'A passed limit is stored as an event. The rows of `PassDeadline` and `Refresh` define the consequence. A later success is still accepted. A limit that began before a start of the service passes `HOST_MAX_DISCONNECTION_TIME` after the start at the earliest, or after its own length if that is shorter, because nothing was reported while the service was stopped. The retention is not extended.',
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
