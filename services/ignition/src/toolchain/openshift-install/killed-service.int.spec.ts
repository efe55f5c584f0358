import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, runProgram, type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { openInstallFolder } from './install-folder';

const HOUR_S = 3_600;

describe('an installer whose service is killed', () => {
  let directory: TemporaryDirectory;
  beforeEach(() => (directory = temporaryDirectory()));
  afterEach(() => directory.remove());

  it('ends, so that it does not write into the folder of the next run', async () => {
    const mark = join(directory.path, 'pid');
    const service = runProgram(join(__dirname, 'long-run.fixture.spec.ts'), [mark]);
    const pidText = (): string => (existsSync(mark) ? readFileSync(mark, 'utf8') : '');
    await eventually('the installer runs', () => pidText().endsWith('\n'));
    const pid = Number(pidText());
    await service.kill();
    try {
      await eventually('the installer has ended', () => !isRunning(pid));
    } finally {
      if (isRunning(pid)) process.kill(pid, 'SIGKILL');
    }
  });

  it('leaves a folder with secrets that a later run of another installation removes', async () => {
    const left = join(directory.path, 'left');
    const running = join(directory.path, 'running');
    for (const folder of [left, running]) mkdirSync(folder);
    writeFileSync(join(left, 'install-config.yaml'), 'pullSecret: canary');
    const before = Date.now() / 1_000 - 2 * HOUR_S;
    utimesSync(left, before, before);
    await openInstallFolder(join(directory.path, 'next'));
    expect(readdirSync(directory.path).sort()).toEqual(['next', 'running']);
  });
});

/** A process that was killed stays as a zombie until its parent collects it. */
const isRunning = (pid: number): boolean => {
  const status = `/proc/${pid}/status`;
  return existsSync(status) && !/State:\s+Z/.test(readFileSync(status, 'utf8'));
};
