import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { errorMessage } from '@muster/schema';
import { ProgramMissing, type RunCommand } from './command';
import { collect, gatherLogs } from './logs-gather';

const { signal } = new AbortController();
const ORDER = {
  clusterId: 'c',
  hostId: 'h',
  infraEnvId: 'i',
  isBootstrap: true,
  includesControlPlane: true,
  controlPlaneAddresses: ['192.0.2.12', '192.0.2.13'],
};
const PROGRESS = 'PUT /infra-envs/i/hosts/h/logs-progress';
const UPLOAD = expect.stringMatching(/^POST \/clusters\/c\/logs\?/) as unknown;

/** Gathers logs and returns the requests, and the names of the files in each archive. */
async function gather(order: typeof ORDER, run: RunCommand, uploadStatus = 204) {
  const requests: string[] = [];
  const states: unknown[] = [];
  const archives: string[][] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      requests.push(`${request.method} ${request.url?.replace(/^.*\/v2/, '')}`);
      const archive = body.subarray(body.indexOf('\r\n\r\n') + 4, body.lastIndexOf('\r\n--'));
      if (request.method === 'POST')
        archives.push(execFileSync('tar', ['tz'], { input: archive, encoding: 'utf8' }).trim().split('\n'));
      else states.push(JSON.parse(body.toString()));
      const isRefused = request.method === 'POST' && uploadStatus !== 204;
      if (isRefused) response.writeHead(uploadStatus).end('{"code":"400","reason":"The archive is refused."}');
      else response.writeHead(204).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const access = { serviceUrl: `http://127.0.0.1:${port}`, token: '', agentVersion: 'test' };
  const failure = await gatherLogs(order, access, run, signal).catch(errorMessage);
  server.close();
  return { requests, archives, failure, states };
}

describe('the logs of a host', () => {
  it('are sent as an archive with the folder of the host, between reports of the progress', async () => {
    const run: RunCommand = async () => ({ exitCode: 0, stdout: 'a line\n' });
    const { archives, failure, requests } = await gather({ ...ORDER, includesControlPlane: false }, run);
    expect([failure, requests]).toEqual([undefined, [PROGRESS, UPLOAD, PROGRESS]]);
    expect(archives[0]).toContain('logs_host_h/bootkube.logs');
    expect(archives[0]?.filter((name) => !name.startsWith('logs_host_h/'))).toEqual([]);
  });

  it.each([false, true])(
    'are reported as completed when the service refuses them (%s)',
    async (includesControlPlane) => {
      const run: RunCommand = async () => ({ exitCode: 0, stdout: 'a line\n' });
      const { failure, states } = await gather({ ...ORDER, includesControlPlane }, run, 400);
      expect(failure).toMatch('The archive is refused.');
      expect(states).toEqual([{ logs_state: 'collecting' }, { logs_state: 'completed' }]);
    },
  );

  it('of a bootstrap host are sent again with those of the control plane', async () => {
    const gathered: (readonly string[])[] = [];
    const run: RunCommand = async (program, args, _signal, { environment } = {}) => {
      if (program.endsWith('/installer-gather.sh')) {
        gathered.push(args);
        writeFileSync(environment?.['TAR_FILE'] ?? '', 'bundle');
      }
      return { exitCode: 0, stdout: 'a line\n' };
    };
    const { archives, failure, requests } = await gather(ORDER, run);
    expect([failure, requests]).toEqual([undefined, [PROGRESS, UPLOAD, UPLOAD, PROGRESS]]);
    expect(gathered).toEqual([['--id', expect.stringMatching(/^\d{14}$/), '192.0.2.12', '192.0.2.13']]);
    expect(archives[1]).toEqual([
      ...(archives[0] ?? []),
      'logs_host_h/installer-gather.logs',
      `logs_host_h/log-bundle-${gathered[0]?.[1]}.tar.gz`,
    ]);
  });

  it('of a bootstrap host do not contain a bundle that the service would refuse', async () => {
    const run: RunCommand = async (_program, _args, _signal, { environment } = {}) => {
      const path = environment?.['TAR_FILE'] ?? '';
      if (path) writeFileSync(path, '');
      if (path) truncateSync(path, 251 * 1024 ** 2);
      return { exitCode: 0, stdout: 'a line\n' };
    };
    const { archives, failure } = await gather(ORDER, run);
    expect(failure).toBeUndefined();
    expect(archives[1]).toEqual([...(archives[0] ?? []), 'logs_host_h/installer-gather.logs']);
  }, 60_000);

  it('of a bootstrap host whose control plane never started state why its logs are missing', async () => {
    const run: RunCommand = async (program) => {
      if (program.endsWith('/installer-gather.sh')) throw new ProgramMissing(program);
      return { exitCode: 0, stdout: 'a line\n' };
    };
    const { archives, failure } = await gather(ORDER, run);
    expect(failure).toBeUndefined();
    expect(archives[1]).toEqual([...(archives[0] ?? []), 'logs_host_h/installer-gather.logs']);
  });

  it('are sent within the 15 minutes of the installer, also when a disk does not answer', async () => {
    let waitedMs = 0;
    const run: RunCommand = async (program, _args, _signal, { timeoutMs = 0 } = {}) => {
      if (program === 'journalctl' || program === 'dmesg') return { exitCode: 0, stdout: 'a line\n' };
      waitedMs += timeoutMs;
      return { exitCode: 124, stdout: '' };
    };
    const files = await collect(true, run, signal);
    expect(files['report.logs']).toContain('"pvdisplay -v" ended with exit code 124');
    expect(waitedMs).toBeLessThanOrEqual(10 * 60_000);
  });

  it('lack only the output of a program that cannot be started', async () => {
    const run: RunCommand = async (program) => {
      if (program === 'pvdisplay') throw new Error('spawn ENOMEM');
      return { exitCode: 0, stdout: 'a line\n' };
    };
    const files = await collect(false, run, signal);
    expect(files['report.logs']).toBe('mount.logs: "pvdisplay -v" did not start: spawn ENOMEM\n');
    expect(files['installer.logs']).toContain('a line');
  });
});
