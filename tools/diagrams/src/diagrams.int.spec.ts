import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from './index';
import { findDrift, STATE_MACHINES_FOLDER, writeAll } from './main';
import { movesOf } from './state-graph';
import { STATE_TABLES } from './state-table';

describe('the state machine pages', () => {
  it('match the tables', async () => {
    expect(await findDrift(STATE_MACHINES_FOLDER)).toEqual([]);
  });

  it('have the same bytes on every run', () => {
    expect([...generate()]).toEqual([...generate()]);
  });

  it.each(STATE_TABLES.map((table) => [table.name, table] as const))('draw every transition of the %s', (_, table) => {
    const hidden = movesOf(table).filter(
      ({ from, to, row }) =>
        !['deregistered', 'unregistered'].includes(to) && !table.views.some((view) => view.shows(from, to, row.on)),
    );
    expect(hidden.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it.each(STATE_TABLES.map((table) => [table.name, table] as const))('list every row of the %s', (name, table) => {
    const page = generate().get(`${name}.md`);
    for (const { id } of [...table.rows, ...table.refusals]) expect(page).toContain(`| \`${id}\` |`);
  });

  it('detect and repair an edited, a missing, and an unknown page', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'muster-diagrams-'));
    try {
      await writeAll(folder);
      expect(await findDrift(folder)).toEqual([]);
      await writeFile(join(folder, 'cluster.mmd'), 'edited');
      await rm(join(folder, 'host.md'));
      await writeFile(join(folder, 'stranger.svg'), '<svg/>');
      expect(await findDrift(folder)).toEqual(['cluster.mmd', 'host.md', 'stranger.svg']);
      await writeAll(folder);
      expect(await findDrift(folder)).toEqual([]);
      expect(await readFile(join(folder, 'cluster.mmd'), 'utf8')).toContain('stateDiagram-v2');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
