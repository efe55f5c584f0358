import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, temporaryDirectory } from '@muster/testing';
import { readDisks } from './disks';
import { createMachineFiles } from './machine-files';

const ANSWER_MS_MAX = 1_000;

describe('a disk that does not answer', () => {
  const directory = temporaryDirectory();
  const at = (path: string): string => join(directory.path, path);
  // A read of a named pipe waits for a writer, as a read of such a disk waits for the disk.
  const disk = at('dev/sda');
  const sector = Buffer.alloc(512);
  const writers: number[] = [];

  beforeAll(() => {
    for (const name of ['sda', 'sdb']) mkdirSync(at(`sys/block/${name}`), { recursive: true });
    mkdirSync(at('dev'));
    sector.writeUInt16LE(0xaa55, 510);
    writeFileSync(at('dev/sdb'), sector);
    execFileSync('mkfifo', [disk]);
  });
  afterAll(() => {
    writers.forEach(closeSync);
    directory.remove();
  });

  it('delays the inventory for a limited time, and is read again after it has answered', async () => {
    const files = createMachineFiles(directory.path, ANSWER_MS_MAX);
    const bootable = async () => (await readDisks(files)).map(({ bootable: isBootable, name }) => [name, isBootable]);
    const expected = [
      ['sda', false],
      ['sdb', true],
    ];
    expect(await bootable()).toEqual(expected);
    // Each read that waits occupies one of the few threads for files.
    for (let repeated = 0; repeated < 10; repeated += 1) expect(await bootable()).toEqual(expected);

    const writer = openSync(disk, 'r+');
    writers.push(writer);
    await eventually('the disk is read again', async () => {
      writeSync(writer, sector);
      return (await files.firstBytes('/dev/sda', sector.length)) !== undefined;
    });
  });

  it('is read once for several steps that ask at the same time', async () => {
    execFileSync('mkfifo', [at('dev/sdc')]);
    const files = createMachineFiles(directory.path, 5 * ANSWER_MS_MAX);
    const answers = Array.from({ length: 10 }, () => files.firstBytes('/dev/sdc', sector.length));
    try {
      expect(await files.firstBytes('/dev/sdb', sector.length)).toEqual(sector);
    } finally {
      const writer = openSync(at('dev/sdc'), 'r+');
      writers.push(writer);
      answers.forEach(() => writeSync(writer, sector));
    }
    await Promise.all(answers);
  });

  it('does not delay other reads of this process, also with many such disks', async () => {
    const disks = Array.from({ length: 8 }, (_, number) => `sde${number}`);
    execFileSync(
      'mkfifo',
      disks.map((name) => at(`dev/${name}`)),
    );
    const files = createMachineFiles(directory.path, ANSWER_MS_MAX);
    const answers = await Promise.all(disks.map((name) => files.firstBytes(`/dev/${name}`, sector.length)));
    try {
      expect(answers).toEqual(disks.map(() => undefined));
      expect(await readFile(at('dev/sdb'))).toEqual(sector);
      expect(await files.firstBytes('/dev/sdb', sector.length)).toEqual(sector);
    } finally {
      for (const name of disks) {
        const writer = openSync(at(`dev/${name}`), 'r+');
        writers.push(writer);
        writeSync(writer, sector);
      }
    }
  });
});

it('a device is not readable when the program that reads it cannot be started', async () => {
  const files = createMachineFiles('/no\0folder');
  expect(await files.firstBytes('/dev/sda', 2)).toBeUndefined();
});
