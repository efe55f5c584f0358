import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@muster/testing';

const PROGRAM = join(__dirname, '../dist/index.js');
const DISKS = 8;

it('an agent reads files while writes to several broken disks do not end', () => {
  const directory = temporaryDirectory();
  const disks = Array.from({ length: DISKS }, (_, number) => join(directory.path, `disk${number}`));
  execFileSync('mkfifo', disks);
  const file = join(directory.path, 'file');
  writeFileSync(file, 'content of the file');
  // An open of a named pipe for writing waits for a reader, as a write to such a disk waits for the disk.
  const script = `
    const { open, readFile } = require('node:fs/promises');
    require(${JSON.stringify(PROGRAM)}).runAgentProgram(['--help']).then(async () => {
      for (const disk of ${JSON.stringify(disks)}) void open(disk, 'w');
      require('node:fs').writeSync(1, await readFile(${JSON.stringify(file)}));
      process.kill(process.pid, 'SIGKILL');
    });`;
  const { stdout } = spawnSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  directory.remove();
  expect(stdout).toMatch(/content of the file$/);
});
