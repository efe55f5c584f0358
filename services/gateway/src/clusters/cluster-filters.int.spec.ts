import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument } from '../sample-documents.fixture.spec';

describe('a list of clusters', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway();
    const openshift_cluster_id = '0f6f3a1c-9d01-4b7a-9a52-5b0f2c5e8d6d';
    await gateway.project(0, [clusterDocument({ openshift_cluster_id })]);
  });
  afterAll(() => gateway.close());

  it.each([
    ['0f6f3a1c-9d01-4b7a-9a52-5b0f2c5e8d6d', [CLUSTER_ID]],
    ['0F6F3A1C-9D01-4B7A-9A52-5B0F2C5E8D6D', [CLUSTER_ID]],
    ['1f6f3a1c-9d01-4b7a-9a52-5b0f2c5e8d6d', []],
  ])('has those with the id %s of an installed cluster', async (id, ids) => {
    const { body } = await gateway.call('GET', `${API}/v2/clusters?openshift_cluster_id=${id}`);
    expect(body).toEqual(ids.map((known) => expect.objectContaining({ id: known })));
  });
});
