import { IgnitionService, RegistrationService } from '@muster/contracts';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import {
  CLUSTER_ID,
  clusterDocument,
  HOST_ID,
  hostDocument,
  INFRA_ENV_ID,
  infraEnvDocument,
} from '../sample-documents.fixture.spec';

const { readArtifact, renderDiscoveryIgnition, renderInstallConfig } = IgnitionService.method;
const { issueBusCredentials, nextSteps, reviseCluster } = RegistrationService.method;
const HOST = `v2/infra-envs/${INFRA_ENV_ID}/hosts/${HOST_ID}`;

// `call` fails for a response that the document does not describe.
describe('the API document describes', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway();
    await gateway.project(0, [clusterDocument(), infraEnvDocument(), hostDocument()]);
  });
  afterAll(() => gateway.close());

  it.each([
    ['an Ignition config that does not exist yet', 409, 'not-ready', readArtifact, `${HOST}/ignition`],
    [
      'an install-config whose inputs are missing',
      409,
      'not-ready',
      renderInstallConfig,
      `v2/clusters/${CLUSTER_ID}/install-config`,
    ],
    [
      'a discovery config whose token cannot be stored',
      507,
      'insufficient-storage',
      renderDiscoveryIgnition,
      `v2/infra-envs/${INFRA_ENV_ID}/downloads/files?file_name=discovery.ign`,
    ],
    ['steps of a host id that two machines use', 409, 'identity-conflict', nextSteps, `${HOST}/instructions`],
  ] as const)('the refusal of %s', async (_, status, code, method, path) => {
    await gateway.refuses(method, { code, reason: 'Because.' });
    expect(await gateway.call('GET', `${API}/${path}`)).toMatchObject({ status, body: { reason: 'Because.' } });
  });

  it('the refusal of bus credentials by a service whose bus accepts no hosts', async () => {
    await gateway.refuses(issueBusCredentials, { code: 'not-supported', reason: 'It is off.' });
    const path = `/api/muster/v1/infra-envs/${INFRA_ENV_ID}/hosts/${HOST_ID}/bus-credentials`;
    const answer = await gateway.call('POST', path, { json: { public_key: 'UKEY' } });
    expect(answer).toMatchObject({ status: 501, body: { detail: 'It is off.' } });
  });

  it('the refusal of a write to a full disk', async () => {
    await gateway.refuses(reviseCluster, { code: 'insufficient-storage', reason: 'Nothing was stored.' });
    const answer = await gateway.call('PATCH', `${API}/v2/clusters/${CLUSTER_ID}`, { json: { name: 'other' } });
    expect(answer).toMatchObject({ status: 507, body: { code: '507', reason: 'Nothing was stored.' } });
  });
});
