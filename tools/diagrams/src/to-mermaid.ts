import { movesOf, toGraph } from './state-graph';
import type { StateTable } from './state-table';

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
