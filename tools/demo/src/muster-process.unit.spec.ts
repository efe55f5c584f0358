import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@muster/testing';
import { nodeOptionsOf } from './muster-process';

describe('the options of Node', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  const programOf = (name: string, start: string): string => {
    const tree = join(directory.path, name);
    mkdirSync(join(tree, 'services', 'muster', 'dist'), { recursive: true });
    writeFileSync(join(tree, 'nx.json'), '{}');
    writeFileSync(join(tree, 'package.json'), JSON.stringify({ scripts: { start } }));
    return join(tree, 'services', 'muster', 'dist', 'main.js');
  };

  it.each([
    ['npm run build && exec node --a=1 --b services/muster/dist/main.js', ['--a=1', '--b']],
    ['npm run build && exec node services/muster/dist/main.js', []],
  ])('are those of the tree of the program: %s', (start, options) => {
    expect(nodeOptionsOf(programOf(`tree-${options.length}`, start))).toEqual(options);
  });

  it('are an error without a tree', () => {
    expect(() => nodeOptionsOf(join(directory.path, 'main.js'))).toThrow('no folder above it has a nx.json');
  });
});
