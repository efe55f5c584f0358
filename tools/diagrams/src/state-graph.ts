import type { StateTable, TableRow, View } from './state-table';

/** A box with one or more lines. A gathering represents all statuses that it lists. */
export interface GraphNode {
  readonly id: string;
  readonly lines: readonly string[];
  readonly kind: 'status' | 'start' | 'end' | 'gathering';
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly lines: readonly string[];
}

export interface StateGraph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** Number of sources from which one command to one status is drawn once, from a box that lists the sources. */
const GATHER_FROM = 4;
const MAX_EDGE_LINES = 3;

export interface Move {
  readonly from: string;
  readonly to: string;
  readonly row: TableRow;
}

/** All status changes of the rows. */
export function movesOf(table: StateTable): readonly Move[] {
  return table.rows.flatMap((row) =>
    row.to === 'stay' ? [] : row.from.filter((from) => from !== row.to).map((from) => ({ from, to: row.to, row })),
  );
}

export function toGraph(table: StateTable, view: View): StateGraph {
  const moves = movesOf(table).filter(({ from, to, row }) => view.shows(from, to, row.on));
  const gathered = [...groupBy(moves, ({ to, row }) => `${labelOf(table, row)} ${to}`).values()].filter(
    (group) => new Set(group.map(({ from }) => from)).size >= GATHER_FROM,
  );
  const isGathered = new Set(gathered.flat());
  const gatherings = joinSameSources(gathered);
  const single = [
    ...groupBy(
      moves.filter((move) => !isGathered.has(move)),
      ({ from, to }) => `${from} ${to}`,
    ).values(),
  ];

  const edges = [
    ...single.map((group) => ({ from: group[0]?.from ?? '', to: group[0]?.to ?? '', lines: linesOf(table, group) })),
    ...gatherings.flatMap(({ node, groups }) =>
      groups.map((group) => ({ from: node.id, to: group[0]?.to ?? '', lines: linesOf(table, group) })),
    ),
  ];
  const drawn = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const statuses = [...new Set(moves.flatMap(({ from, to }) => [from, to]))].filter((status) => drawn.has(status));
  return {
    nodes: [...statuses.map((status) => statusNode(table, status)), ...gatherings.map(({ node }) => node)],
    edges,
  };
}

interface Gathering {
  readonly node: GraphNode;
  readonly groups: readonly (readonly Move[])[];
}

/** Commands that apply in the same statuses share one box. */
function joinSameSources(groups: readonly (readonly Move[])[]): readonly Gathering[] {
  const sourcesOf = (group: readonly Move[]): readonly string[] => [...new Set(group.map(({ from }) => from))].sort();
  return [...groupBy(groups, (group) => sourcesOf(group).join(' ')).entries()].map(([key, same], index) => ({
    node: { id: `gathering-${index + 1}`, lines: inPairs(key.split(' ')), kind: 'gathering' },
    groups: same,
  }));
}

/** Two names per line limit the height of the box. */
function inPairs(names: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (let index = 0; index < names.length; index += 2) lines.push(names.slice(index, index + 2).join(' · '));
  return lines;
}

/** The label of a transition: the command, or the row id when the command does not describe the change. */
const labelOf = (table: StateTable, row: TableRow): string => (table.unspeaking.includes(row.on) ? row.id : row.on);

function linesOf(table: StateTable, group: readonly Move[]): readonly string[] {
  const lines = [...new Set(group.map(({ row }) => labelOf(table, row)))];
  return lines.length <= MAX_EDGE_LINES
    ? lines
    : [...lines.slice(0, MAX_EDGE_LINES - 1), `and ${lines.length - MAX_EDGE_LINES + 1} more`];
}

function statusNode(table: StateTable, status: string): GraphNode {
  const kind = status === table.start ? 'start' : status === 'deregistered' ? 'end' : 'status';
  return { id: status, lines: [status], kind };
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item)) ?? [];
    group.push(item);
    groups.set(keyOf(item), group);
  }
  return groups;
}

/** Renders the whole table as one Mermaid state diagram. Each edge names its rows or its command. */
export function toMermaid(table: StateTable): string {
  const graph = toGraph(table, { name: '', title: '', direction: 'down', shows: () => true });
  const statuses = [...new Set(movesOf(table).flatMap(({ from, to }) => [from, to]))];
  const gatherings = new Map(
    graph.nodes.filter(({ kind }) => kind === 'gathering').map((node) => [node.id, node.lines.join(' · ')]),
  );
  return [
    'stateDiagram-v2',
    ...statuses.map((status) => `  state "${status}" as ${idOf(status)}`),
    ...[...gatherings].map(([id, names]) => `  state "${names}" as ${idOf(id)}`),
    `  [*] --> ${idOf(table.start)}`,
    ...graph.edges.map(({ from, to, lines }) => `  ${idOf(from)} --> ${idOf(to)}: ${lines.join(', ')}`),
    ...(statuses.includes('deregistered') ? [`  ${idOf('deregistered')} --> [*]`] : []),
    '',
  ].join('\n');
}

/** Mermaid identifiers contain no hyphens. */
const idOf = (name: string): string => name.replaceAll('-', '_');
