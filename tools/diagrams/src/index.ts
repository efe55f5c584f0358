import { toGraph, toMermaid } from './state-graph';
import { indexPage, STATE_TABLES, timeoutsPage, toMarkdown } from './state-table';
import { toSvg } from './to-svg';

/** Every generated file by name. The same tables give the same bytes. */
export function generate(): ReadonlyMap<string, string> {
  const files = new Map<string, string>([
    ['README.md', indexPage(STATE_TABLES)],
    ['timeouts.md', timeoutsPage()],
  ]);
  for (const table of STATE_TABLES) {
    files.set(`${table.name}.md`, toMarkdown(table));
    files.set(`${table.name}.mmd`, toMermaid(table));
    for (const view of table.views)
      files.set(`${view.name}.svg`, toSvg(toGraph(table, view), view.title, view.direction));
  }
  return files;
}
