import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gatherLogs } from './logs-gather';

const { signal } = new AbortController();
const ORDER = { clusterId: 'c', hostId: 'h', infraEnvId: 'i', isBootstrap: true };

describe('the logs of a host', () => {
  it('are sent as an archive with the folder of the host, between reports of the progress', async () => {
    const requests: string[] = [];
    let upload = Buffer.alloc(0);
    const server = createServer((request, response) => {
      void buffer(request).then((body) => {
        requests.push(`${request.method} ${request.url?.replace(/^.*\/v2/, '')}`);
        if (request.method === 'POST') upload = body;
        response.writeHead(204).end();
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const access = { serviceUrl: `http://127.0.0.1:${port}`, token: '', agentVersion: 'test' };
    try {
      await gatherLogs(ORDER, access, async () => ({ exitCode: 0, stdout: 'a line\n' }), signal);
    } finally {
      server.close();
    }
    const progress = 'PUT /infra-envs/i/hosts/h/logs-progress';
    expect(requests).toEqual([progress, expect.stringMatching(/^POST \/clusters\/c\/logs\?/), progress]);
    const archive = upload.subarray(upload.indexOf('\r\n\r\n') + 4, upload.lastIndexOf('\r\n--'));
    const names = execFileSync('tar', ['tz'], { input: archive, encoding: 'utf8' }).trim().split('\n');
    expect(names).toContain('logs_host_h/bootkube.logs');
    expect(names.filter((name) => !name.startsWith('logs_host_h/'))).toEqual([]);
  });
});
