import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@muster/testing';
import { createServerNames } from './server-names';

describe('names of machine-config servers', () => {
  const folder = temporaryDirectory();
  afterAll(() => folder.remove());
  const names = createServerNames(join(folder.path, 'names'));
  const ports = { tlsPort: 40_001, plainPort: 40_002 };
  const others = { tlsPort: 40_003, plainPort: 40_004 };

  it('lead other processes to the server, until it is withdrawn', () => {
    const withdraw = names.publish(['api.lab.example.com', '2001:db8::10'], ports);
    const elsewhere = createServerNames(join(folder.path, 'names'));
    expect(elsewhere.find('API.lab.example.com')).toEqual(ports);
    expect(elsewhere.find('2001:db8::10')).toEqual(ports);
    expect(elsewhere.find('lab.example.com')).toBeUndefined();
    withdraw();
    expect(elsewhere.find('api.lab.example.com')).toBeUndefined();
    expect(readdirSync(join(folder.path, 'names'))).toEqual([]);
  });

  it('keep the newest server when an older one with the same name is withdrawn', () => {
    const withdrawOld = names.publish(['api.lab.example.com'], ports);
    const withdrawNew = names.publish(['api.lab.example.com'], others);
    withdrawOld();
    expect(names.find('api.lab.example.com')).toEqual(others);
    withdrawNew();
  });

  it('are refused at the start when their folder cannot be written, and not when the first cluster is installed', () => {
    const file = join(folder.path, 'file');
    writeFileSync(file, '');
    for (const [place, cause] of [
      [file, 'EEXIST'],
      [join(file, 'names'), 'ENOTDIR'],
    ] as const)
      expect(() => createServerNames(place)).toThrow(
        `The folder ${place} for the names of clusters cannot be written (${cause}). Give another one with --names.`,
      );
  });

  it('do not lead to servers of processes that have ended', () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    writeFileSync(join(folder.path, 'names', 'api.gone.example.com.json'), JSON.stringify({ pid, ...ports }));
    expect(names.find('api.gone.example.com')).toBeUndefined();
  });
});
