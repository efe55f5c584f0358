import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { temporaryDirectory } from '@muster/testing';
import { installAicli, prepareAicli } from './aicli';

describe('an installed aicli', () => {
  const folder = temporaryDirectory();
  const given = process.env.AICLI;
  afterEach(() => {
    if (given === undefined) delete process.env.AICLI;
    else process.env.AICLI = given;
  });
  afterAll(() => folder.remove());

  it('runs in another folder, also when its path is relative', async () => {
    const program = join(folder.path, 'aicli');
    writeFileSync(program, '#!/bin/sh\necho "$@"\n');
    chmodSync(program, 0o755);
    process.env.AICLI = relative(process.cwd(), program);
    const aicli = installAicli(folder.path);
    if ('missing' in aicli) throw new Error(aicli.missing);
    const home = join(folder.path, 'home', 'of', 'aicli');
    mkdirSync(home, { recursive: true });
    const client = prepareAicli(aicli.program, home, 'http://127.0.0.1:1');
    expect(await client.run(['list', 'cluster'])).toMatchObject({ exitCode: 0, output: 'list cluster\n' });
  });
});
