import { connect } from 'node:net';
import { eventually } from '@muster/testing';
import { createFastifyServer } from '../http/fastify-server';
import { BODY_RATE_MIN_BYTES_PER_SECOND, LOG_BUNDLE_MAX_BYTES } from '../http/request-body';
import { RouteTable } from '../http/routes';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument } from '../sample-documents.fixture.spec';

const SECOND_MS = 1_000;

describe('the upload of logs over a slow connection', () => {
  it('may take as long as the largest bundle takes at the minimum rate', () => {
    const { server } = createFastifyServer(new RouteTable()).getInstance();
    const longestMs = (LOG_BUNDLE_MAX_BYTES / BODY_RATE_MIN_BYTES_PER_SECOND) * SECOND_MS;
    expect(server.requestTimeout).toBeGreaterThan(longestMs);
  });

  describe('that stops', () => {
    let gateway: RunningGateway;
    beforeAll(async () => {
      gateway = await startRunningGateway();
      await gateway.project(1, [clusterDocument()]);
      jest.useFakeTimers({
        doNotFake: [
          'Date',
          'hrtime',
          'nextTick',
          'queueMicrotask',
          'setImmediate',
          'clearImmediate',
          'setTimeout',
          'clearTimeout',
        ],
      });
    });
    afterAll(async () => {
      jest.useRealTimers();
      await gateway.close();
    });

    it.each([
      ['before the first part', ''],
      ['in the header of the file', '--x\r\nContent-Disposition: form'],
      ['in the file', '--x\r\nContent-Disposition: form-data; name="upfile"; filename="a"\r\n\r\nabc'],
    ])('is refused with 408 %s', async (_, begin) => {
      const { hostname, port, host } = new URL(gateway.url);
      const headers = [`Host: ${host}`, 'Content-Type: multipart/form-data; boundary=x', 'Content-Length: 1000000'];
      const path = `${API}/v2/clusters/${CLUSTER_ID}/logs?logs_type=controller`;
      let answer = '';
      const socket = connect(Number(port), hostname, () =>
        socket.write(`POST ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${begin}`),
      );
      socket.on('data', (chunk) => (answer += chunk.toString()));
      await eventually('the request is answered', () => {
        jest.advanceTimersByTime(SECOND_MS);
        return answer.endsWith('}');
      });
      socket.destroy();
      expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*"message":"The body arrived too slowly/);
      expect(gateway.received).toEqual([]);
    });
  });
});
