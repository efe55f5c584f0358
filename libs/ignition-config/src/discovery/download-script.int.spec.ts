import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { fromDataUrl } from '../config/ignition-file';
import { downloadScript, upgradedDigestPath } from './agent-unit';

const PROGRAM = 'the program\n';
const architecture = execFileSync('uname', ['-m'], { encoding: 'utf8' }).trim();
const hasCurl = (() => {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

(hasCurl ? describe : describe.skip)(`download of the executable${hasCurl ? '' : ' (skipped: no curl)'}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'download-script-'));
  const asked: string[] = [];
  let answer: string | undefined = PROGRAM;
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    // The service is not ready at the first attempt.
    response.writeHead(asked.length === 1 ? 503 : answer === undefined ? 404 : 200).end(answer);
  });
  let baseUrl = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/host-binaries`;
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    asked.splice(0);
    answer = PROGRAM;
    rmSync(join(folder, 'muster-host'), { force: true });
    rmSync(upgradedDigestPath(join(folder, 'muster-host')), { force: true });
  });
  /** Starts the script with another path for the program and without waits. */
  const start = (sha256: { readonly [name: string]: string }) => {
    const file = downloadScript({ baseUrl, sha256 }, { caPem: '', skipsCertificateVerification: false });
    const script = (fromDataUrl(file.contents?.source ?? '') ?? '')
      .replaceAll('/usr/local/bin/muster-host', join(folder, 'muster-host'))
      .replaceAll('/run/muster-host/', join(folder, 'stored/'))
      .replaceAll('/run/muster-ca-bundle.pem', join(folder, 'bundle'))
      .replaceAll('/dev/console', join(folder, 'console'))
      .replace(/sleep "\$wait"/, 'sleep 0.1');
    const path = join(folder, 'script');
    writeFileSync(path, script);
    chmodSync(path, 0o755);
    let output = '';
    const child = execFile(path, () => undefined);
    child.stdout?.on('data', (chunk: string) => (output += chunk));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, ended, output: () => output };
  };
  const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

  it('is repeated until it succeeds, and stores a program that can be started', async () => {
    const { ended, output } = start({ [architecture]: digestOf(PROGRAM) });
    expect(await ended).toBe(0);
    expect(readFileSync(join(folder, 'muster-host'), 'utf8')).toBe(PROGRAM);
    const path = `/host-binaries/${architecture}?sha256=${digestOf(PROGRAM)}`;
    expect(asked).toEqual([path, path]);
    expect(output()).toMatch(/failed: .*503.*Next try in 5 seconds/);
  });

  describe('of an image that contains the program', () => {
    const stored = join(folder, 'stored');
    const given = (content: Buffer): void => {
      mkdirSync(stored, { recursive: true });
      writeFileSync(join(stored, `${architecture}.gz`), content);
    };
    afterEach(() => rmSync(stored, { recursive: true, force: true }));

    it('is not started', async () => {
      given(gzipSync(PROGRAM));
      expect(await start({ [architecture]: digestOf(PROGRAM) }).ended).toBe(0);
      expect(readFileSync(join(folder, 'muster-host'), 'utf8')).toBe(PROGRAM);
      expect(asked).toEqual([]);
    });

    it('replaces a damaged copy', async () => {
      given(gzipSync('another program'));
      const { ended, output } = start({ [architecture]: digestOf(PROGRAM) });
      expect(await ended).toBe(0);
      expect(readFileSync(join(folder, 'muster-host'), 'utf8')).toBe(PROGRAM);
      expect(output()).toContain('The program in this image is damaged. It is downloaded instead.');
    });
  });

  it('is not repeated when the program exists', async () => {
    writeFileSync(join(folder, 'muster-host'), PROGRAM);
    expect(await start({ [architecture]: digestOf(PROGRAM) }).ended).toBe(0);
    expect(asked).toEqual([]);
  });

  it('is not repeated after an upgrade, and takes the digest of the upgraded program', async () => {
    const upgraded = '#!/bin/sh\necho a newer program\n';
    writeFileSync(join(folder, 'muster-host'), upgraded);
    writeFileSync(upgradedDigestPath(join(folder, 'muster-host')), `${digestOf(upgraded)}\n`);
    expect(await start({ [architecture]: digestOf(PROGRAM) }).ended).toBe(0);
    expect(asked).toEqual([]);
    // The upgraded program is lost, and the service sends the program of the upgrade.
    rmSync(join(folder, 'muster-host'));
    answer = upgraded;
    expect(await start({ [architecture]: digestOf(PROGRAM) }).ended).toBe(0);
    expect(readFileSync(join(folder, 'muster-host'), 'utf8')).toBe(upgraded);
    expect(asked.at(-1)).toBe(`/host-binaries/${architecture}?sha256=${digestOf(upgraded)}`);
  });

  it('asks for a new image when the service no longer has the program', async () => {
    answer = undefined;
    const { child, ended, output } = start({ [architecture]: digestOf(PROGRAM) });
    while (!output().includes('download a new discovery image'))
      await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill();
    await ended;
    expect(output()).toContain('failed: the service no longer has this program; download a new discovery image.');
  });

  it('reports the digest of a wrong file and retries', async () => {
    const { child, ended, output } = start({ [architecture]: digestOf('another program\n') });
    while (!output().includes('digest')) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill();
    await ended;
    expect(output()).toContain(`the file has the digest ${digestOf(PROGRAM)} and not ${digestOf('another program\n')}`);
  });

  it('lists the available architectures', async () => {
    const { ended, output } = start({ riscv64: 'ab' });
    expect(await ended).toBe(1);
    expect(output()).toContain(`no program for the architecture ${architecture}. Available: riscv64.`);
    expect(existsSync(join(folder, 'muster-host'))).toBe(false);
  });
});
