import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { NO_RETRIES } from './http/http-client';
import { createServiceApi } from './service-api';
import { realTimer } from './timer';

const MIB = 1024 * 1024;
/** More than a client keeps in memory. The answer contains each host of the cluster with its connectivity to all others. */
const ANSWER_MIB = 66;

describe('a report that the service answers with a whole cluster', () => {
  let server: Server;
  let received = '';
  beforeAll(async () => {
    server = createServer((request, response) => {
      received = `${request.method} ${request.url}`;
      response.writeHead(202, { 'content-type': 'application/json', 'content-length': ANSWER_MIB * MIB });
      const part = Buffer.alloc(MIB, ' ');
      for (let written = 0; written < ANSWER_MIB; written += 1) response.write(part);
      response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  const open = (): ReturnType<typeof createServiceApi> => {
    const { port } = server.address() as AddressInfo;
    const access = { serviceUrl: `http://127.0.0.1:${port}`, token: '', agentVersion: '' };
    return createServiceApi(access, NO_RETRIES, realTimer);
  };

  it('is done for a large cluster too', async () => {
    const api = open();
    await api.completeInstallation('c1', { isSuccess: true }, new AbortController().signal);
    expect(received).toBe('POST /api/assisted-install/v2/clusters/c1/actions/complete-installation');
    api.close();
  });

  it('is not kept in memory when it is read', async () => {
    const api = open();
    const read = api.cluster('c1', false, new AbortController().signal);
    await expect(read).rejects.toThrow('the answer is larger than 67108864 bytes');
    api.close();
  });
});
