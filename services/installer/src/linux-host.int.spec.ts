import childProcess, { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linuxHost } from './linux-host';

describe('commands on this machine', () => {
  const { signal } = new AbortController();

  it('return output, exit code and lines, with a carriage return as the end of a line', async () => {
    const lines: string[] = [];
    const script = 'printf "1%%\\r2%%\\rend" >&2; echo out; exit 3';
    const result = await linuxHost.run('sh', ['-c', script], { onLine: (line) => lines.push(line) }, signal);
    expect(result).toEqual({ exitCode: 3, stdout: 'out\n', stderr: '1%\r2%\rend' });
    expect(lines.sort()).toEqual(['1%', '2%', 'end', 'out']);
  });

  it('end with exit code 127 when the program does not exist', async () => {
    expect((await linuxHost.run('no-such-program', [], {}, signal)).exitCode).toBe(127);
  });

  it.each([
    ['ends when it is stopped', 'echo begun; exec sleep 60'],
    ['ignores that it is stopped', 'trap "" TERM; echo begun; while :; do sleep 0.1; done'],
  ])('end with exit code 124 after their time limit when the program %s', async (_, script) => {
    const run = () => linuxHost.run('sh', ['-c', script], { timeoutMs: 1_000 }, signal);
    let ended = await run();
    // On a busy machine, the time limit may pass before the program begins.
    while (ended.stdout === '') ended = await run();
    const { exitCode, stdout, stderr } = ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: 124, stdout: 'begun\n' });
    expect(stderr).toBe('The program did not end within 1 s. Check whether the disks answer.');
  });

  it('end when the signal is aborted', async () => {
    const stop = new AbortController();
    const ended = linuxHost.run('sleep', ['60'], {}, stop.signal);
    stop.abort();
    expect((await ended).exitCode).toBe(143);
  });

  it('end when the signal is aborted although the program ignores that it is stopped', async () => {
    const stop = new AbortController();
    const options = { onLine: () => stop.abort() };
    const ended = linuxHost.run('sh', ['-c', 'trap "" TERM; echo begun; exec sleep 600'], options, stop.signal);
    expect(await ended).toEqual({ exitCode: 143, stdout: 'begun\n', stderr: '' });
  }, 30_000);
});

describe('files on this machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'linux-host-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are written with their folders, and read', async () => {
    const path = join(folder, 'a/b');
    expect(await linuxHost.readFile(path)).toBeUndefined();
    await linuxHost.writeFile(path, 'text');
    expect((await linuxHost.readFile(path))?.toString()).toBe('text');
    expect(await linuxHost.exists(path)).toBe(true);
    expect(await linuxHost.list(join(folder, 'a'))).toEqual(['b']);
    expect(await linuxHost.list(join(folder, 'none'))).toEqual([]);
  });

  it('do not count as missing when their medium cannot be read', async () => {
    // A link to itself fails as a removed medium does: with an error other than that of a missing file.
    symlinkSync('registry', join(folder, 'registry'));
    await expect(linuxHost.exists(join(folder, 'registry'))).rejects.toThrow('ELOOP');
    expect(await linuxHost.exists(join(folder, 'none/registry'))).toBe(false);
  });
});

describe('a program that the system refuses to start', () => {
  const { signal } = new AbortController();

  it('fails with the reason', async () => {
    const refused = await linuxHost.run('true', ['x'.repeat(1 << 20)], {}, signal);
    expect(refused).toEqual({ exitCode: 1, stdout: '', stderr: 'spawn E2BIG' });
  });

  it('fails with the reason when no files are left for its output', async () => {
    // As Node does it: this process has no streams.
    const spawn = jest.spyOn(childProcess, 'spawn').mockImplementation(() => {
      const refused = new ChildProcess();
      process.nextTick(() => refused.emit('error', Object.assign(new Error('spawn true EMFILE'), { code: 'EMFILE' })));
      return refused;
    });
    const ended = await linuxHost.run('true', [], {}, signal).finally(() => spawn.mockRestore());
    expect(ended).toEqual({ exitCode: 1, stdout: '', stderr: 'spawn true EMFILE' });
  });

  it('fails with the possible cause when it cannot be read', async () => {
    const spawn = jest.spyOn(childProcess, 'spawn').mockImplementation(() => {
      throw Object.assign(new Error('spawn EIO'), { code: 'EIO' });
    });
    const { exitCode, stderr } = await linuxHost.run('umount', ['/mnt'], {}, signal);
    spawn.mockRestore();
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The medium from which this host runs')]);
  });
});
