import { EventsService, toPlainForm } from '@muster/contracts';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument } from '../sample-documents.fixture.spec';

describe('the report of a controller about the end of an installation', () => {
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway();
    await gateway.project(1, [clusterDocument()]);
    await gateway.answers(EventsService.method.recordNote, () => ({ position: 2 }));
  });
  afterEach(() => gateway.close());

  const complete = (json: object) =>
    gateway.call('POST', `${API}/v2/clusters/${CLUSTER_ID}/actions/complete-installation`, { json });
  const failed = (name: string, status_info: string) => ({ name, status: 'failed', status_info });

  it('is in the event log with the operators that failed', async () => {
    const report = [failed('dns', 'no answer'), { name: 'etcd', status: 'available' }];
    const { status } = await complete({ is_success: false, data: { CLUSTER_OPERATORS_REPORT: report } });
    expect(status).toBe(202);
    expect(gateway.received.at(-1)?.body).toMatchObject({
      note: {
        name: 'cluster_operator_report',
        clusterId: CLUSTER_ID,
        message: 'Cluster operators reported as failed: dns (no answer)',
      },
    });
  });

  it('is an event that the service for events accepts when its texts are cut within a character', async () => {
    // The limits are 100, 300 and 4,000 characters in UTF-16, and each of these has two.
    const operators = Array.from({ length: 20 }, () => failed(`n${'🧭'.repeat(60)}`, `i${'🧭'.repeat(200)}`));
    for (const report of [operators.slice(0, 1), operators]) {
      const { status } = await complete({ is_success: false, data: { CLUSTER_OPERATORS_REPORT: report } });
      expect(status).toBe(202);
      const request = gateway.received.at(-1)?.body;
      expect(toPlainForm(EventsService.method.recordNote.input, request)).toEqual(request);
    }
  });

  it('adds no event after a success', async () => {
    expect((await complete({ is_success: true })).status).toBe(202);
    expect(gateway.received).toEqual([]);
  });
});
