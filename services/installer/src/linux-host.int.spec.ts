import { mkdtempSync, rmSync } from 'node:fs';
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

  it('end when the signal is aborted', async () => {
    const stop = new AbortController();
    const ended = linuxHost.run('sleep', ['60'], {}, stop.signal);
    stop.abort();
    expect((await ended).exitCode).toBe(143);
  });
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
});
