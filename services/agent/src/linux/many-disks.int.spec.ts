import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { eventually, temporaryDirectory } from '@muster/testing';
import { readDisks } from './disks';
import { createMachineFiles, type MachineFiles } from './machine-files';

const DISKS = 100;
/** Disks that do not answer hold up the others for 20 seconds each. */
const AT_ONCE_MAX = 64;

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

  it('starts each of these programs in a turn of its own, so that other work continues', async () => {
    const started = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length;
    await eventually('the programs of the other tests have ended', () => started() === 0);
    const pipes = names.slice(0, 8).map((name) => join(directory.path, `dev-${name}`));
    execFileSync('mkfifo', pipes);
    const files = createMachineFiles('/');
    const answers = pipes.map((pipe) => files.firstBytes(pipe, 1));
    expect(started()).toBeLessThanOrEqual(1);
    await turn();
    expect(started()).toBeLessThanOrEqual(2);
    await eventually('all have started', () => started() === pipes.length);
    for (const pipe of pipes) writeFileSync(pipe, 'x');
    expect(await Promise.all(answers)).toEqual(pipes.map(() => Buffer.from('x')));
  });
});
