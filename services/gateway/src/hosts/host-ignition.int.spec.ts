import { type JsonObject, NO_STREAM } from '@muster/ports';
import { eventToAppend, eventually } from '@muster/testing';
import { ReadYourWrites } from '../bus/read-your-writes';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { clusterDocument, HOST_ID, hostDocument, INFRA_ENV_ID } from '../sample-documents.fixture.spec';

const PATH = `${API}/v2/infra-env/${INFRA_ENV_ID}/hosts/${HOST_ID}/downloads/ignition`;
const NAME = `master-${HOST_ID}.ign`;
const INSTALLED_AS_MASTER = [clusterDocument({ status: 'installing' }), hostDocument({ role: 'master' })];

describe('the Ignition config of a host', () => {
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway();
    gateway.bus.subscribe('ignition.v1.read_artifact', async ({ body }): Promise<JsonObject> => {
      const name = String((body as JsonObject)['name']);
      return name === NAME
        ? { ok: { content: Buffer.from('x').toString('base64') } }
        : { refusal: { code: 'not-ready', reason: `${name} is not made yet.` } };
    });
    await gateway.bus.flush();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await gateway.close();
  });

  it.each([
    ['role', { role: 'worker' }, `worker-${HOST_ID}.ign is not made yet`],
    ['cluster', { cluster_id: '' }, 'is not bound to a cluster'],
  ])('is not refused because of a %s that the read models do not contain yet', async (_, known, reason) => {
    await gateway.project(2, [clusterDocument({ status: 'installing' }), hostDocument(known as never)]);
    expect(await gateway.call('GET', PATH)).toMatchObject({
      status: 409,
      body: { reason: expect.stringContaining(reason) as string },
    });

    await gateway.platform.eventStore.append(
      'note-later',
      NO_STREAM,
      Array.from({ length: 5 }, () => eventToAppend()),
    );
    const head = jest.spyOn(gateway.platform.eventStore, 'head');
    const answer = gateway.call('GET', PATH);
    await eventually('the host was read', () => head.mock.calls.length > 0);
    await gateway.project(4, INSTALLED_AS_MASTER);
    expect(await answer).toMatchObject({ status: 200, text: 'x' });
  });

  it('is answered with 503 while the read models are too far behind', async () => {
    await gateway.project(2, [clusterDocument({ status: 'installing' }), hostDocument({ role: 'worker' })]);
    jest.spyOn(ReadYourWrites.prototype, 'current').mockResolvedValue(false);
    expect(await gateway.call('GET', PATH)).toMatchObject({
      status: 503,
      body: { reason: expect.stringContaining(`role of host ${HOST_ID} are not known yet`) as string },
    });
    await gateway.project(3, INSTALLED_AS_MASTER);
    expect(await gateway.call('GET', PATH)).toMatchObject({ status: 200 });
  });
});
