import { IgnitionService } from '@muster/contracts';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument } from '../sample-documents.fixture.spec';

const { renderInstallConfig } = IgnitionService.method;
const INSTALL_CONFIG = `${API}/v2/clusters/${CLUSTER_ID}/install-config`;

describe('the install-config over REST', () => {
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway();
    await gateway.project(2, [clusterDocument()]);
  });
  afterEach(() => gateway.close());

  it('is returned as a JSON string that contains the document', async () => {
    const text = '{"apiVersion":"v1","pullSecret":"{\\"auths\\":{}}"}';
    await gateway.answers(renderInstallConfig, () => ({ content: Buffer.from(text).toString('base64') }));
    const answer = await gateway.call('GET', INSTALL_CONFIG);
    expect(answer).toMatchObject({ status: 200, body: text });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('is refused with 400 for a day-2 cluster', async () => {
    await gateway.refuses(renderInstallConfig, { code: 'invalid-input', reason: 'Has none.', subject: 'cluster_id' });
    expect(await gateway.call('GET', INSTALL_CONFIG)).toMatchObject({ status: 400, body: { code: '400' } });
  });
});
