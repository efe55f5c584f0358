import { Readable } from 'node:stream';
import { eventually } from '@muster/testing';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument } from '../sample-documents.fixture.spec';

const LOGS = `${API}/v2/clusters/${CLUSTER_ID}/logs?logs_type=controller`;

describe('a download whose content cannot be read', () => {
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway();
    await gateway.project(1, [clusterDocument({ _log_digests: { controller: `sha256:${'0'.repeat(64)}` } })]);
  });
  afterEach(() => gateway.close());

  const serve = async (parts: () => AsyncIterable<Buffer>): Promise<void> => {
    const area = await gateway.platform.logs.area(CLUSTER_ID);
    jest.spyOn(area, 'open').mockResolvedValue(Readable.from(parts()));
  };

  it('ends the connection, and the log of the service has the reason', async () => {
    await serve(async function* () {
      yield Buffer.alloc(100_000);
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('the disk failed');
    });
    const headers = { 'x-request-id': 'download-1' };
    const response = await fetch(gateway.url + LOGS, { headers });
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow();
    await eventually('the error is logged', () => gateway.log.some((line) => line.includes('the disk failed')));
    expect(gateway.log.filter((line) => line.includes('the disk failed'))).toEqual([
      expect.stringMatching(/download-1/),
    ]);
  });

  it('is answered as an internal error when nothing of it can be read', async () => {
    await serve(async function* () {
      throw new Error('the disk failed');
      yield Buffer.alloc(1);
    });
    const answer = await gateway.call('GET', LOGS);
    expect([answer.status, answer.body]).toEqual([500, expect.objectContaining({ code: '500' })]);
    expect(gateway.log.filter((line) => line.includes('the disk failed'))).toHaveLength(1);
  });

  it('is not logged when the client ends the connection', async () => {
    let hasEnded = false;
    await serve(async function* () {
      try {
        for (;;) {
          yield Buffer.alloc(100_000);
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        hasEnded = true;
      }
    });
    const before = gateway.log.length;
    const response = await fetch(gateway.url + LOGS);
    await response.body?.cancel();
    await eventually('the gateway stops reading', () => hasEnded);
    expect(gateway.log.slice(before)).toEqual([]);
  });
});
