import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryDirectory } from '@muster/testing';
import { readDisks } from './disks';
import { createMachineFiles, type MachineFiles } from './machine-files';

const DISKS = 100;
const AT_ONCE_MAX = 16;

describe('a machine with many disks of a storage network', () => {
  const directory = temporaryDirectory();
  const names = Array.from({ length: DISKS }, (_, number) => `dm-${number}`).sort();

  beforeAll(() => {
    for (const name of names) {
      mkdirSync(join(directory.path, 'sys/block', name, 'dm'), { recursive: true });
      writeFileSync(join(directory.path, 'sys/block', name, 'dm/uuid'), `mpath-${name}`);
    }
  });
  afterAll(() => directory.remove());

  it('starts a program for a few of them at a time', async () => {
    let [running, most] = [0, 0];
    const files: MachineFiles = {
      ...createMachineFiles(directory.path),
      firstBytes: async () => {
        most = Math.max(most, (running += 1));
        await delay(1);
        running -= 1;
        return undefined;
      },
    };
    const disks = await readDisks(files);
    expect(disks.map(({ name }) => name)).toEqual(names);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(AT_ONCE_MAX);
  });
});
