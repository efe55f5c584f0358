import { EventsService, IgnitionService, RegistrationService } from '@muster/contracts';
import { type JsonObject, NO_STREAM } from '@muster/ports';
import { eventToAppend, eventually } from '@muster/testing';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument, HOST_ID, hostDocument, INFRA_ENV_ID } from '../sample-documents.fixture.spec';

const CLUSTERS = `${API}/v2/clusters`;

describe('credentials of clusters', () => {
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway();
  });
  afterEach(() => gateway.close());

  it('return kubeconfig-noingress until the kubeconfig exists, and 409 before either file exists', async () => {
    await gateway.project(2, [clusterDocument({ status: 'installing' })]);
    const files: Record<string, string> = {};
    await gateway.bus.flush();
    gateway.bus.subscribe('ignition.v1.read_artifact', async ({ body }): Promise<JsonObject> => {
      const name = String((body as JsonObject)['name']);
      const content = files[name];
      return content === undefined
        ? { refusal: { code: 'not-ready', reason: `${name} is not made yet.` } }
        : { ok: { content: Buffer.from(content).toString('base64') } };
    });
    await gateway.bus.flush();
    const download = () => gateway.call('GET', `${CLUSTERS}/${CLUSTER_ID}/downloads/credentials?file_name=kubeconfig`);

    expect(await download()).toMatchObject({ status: 409, body: { code: '409' } });
    files['kubeconfig-noingress'] = 'first';
    expect(await download()).toMatchObject({ status: 200, text: 'first' });
    files['kubeconfig'] = 'second';
    const answer = await download();
    expect(answer.text).toBe('second');
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="kubeconfig"');
    const wrong = await gateway.call('GET', `${CLUSTERS}/${CLUSTER_ID}/downloads/credentials?file_name=passwd`);
    expect(wrong.body).toEqual({
      code: 400,
      message:
        'file_name in query must be one of the following values: kubeadmin-password, kubeconfig, kubeconfig-noingress, not "passwd"',
    });
  });

  it('are not refused because of a status that the read models do not contain yet', async () => {
    await gateway.answers(IgnitionService.method.readArtifact, () => ({
      content: Buffer.from('x').toString('base64'),
    }));
    await gateway.project(2, [clusterDocument({ status: 'preparing-for-installation' })]);
    const path = `${CLUSTERS}/${CLUSTER_ID}/downloads/files?file_name=bootstrap.ign`;
    expect(await gateway.call('GET', path)).toMatchObject({
      status: 409,
      body: { reason: expect.stringContaining('is preparing-for-installation') },
    });

    const facts = Array.from({ length: 5 }, () => eventToAppend());
    await gateway.platform.eventStore.append('note-later', NO_STREAM, facts);
    const head = jest.spyOn(gateway.platform.eventStore, 'head');
    const answer = gateway.call('GET', path);
    await eventually('the status was read', () => head.mock.calls.length > 0);
    await gateway.project(4, [clusterDocument({ status: 'installing' })]);
    expect(await answer).toMatchObject({ status: 200, text: 'x' });
  });

  it('show the kubeadmin password only when the console is available', async () => {
    await gateway.answers(IgnitionService.method.readArtifact, () => ({
      content: Buffer.from('pw\n').toString('base64'),
    }));
    const console = {
      cluster_id: CLUSTER_ID,
      name: 'console',
      operator_type: 'builtin',
      timeout_seconds: 1,
      status_updated_at: '',
    };
    await gateway.project(2, [clusterDocument({ monitored_operators: [console] })]);
    expect((await gateway.call('GET', `${CLUSTERS}/${CLUSTER_ID}/credentials`)).status).toBe(409);
    await gateway.project(3, [clusterDocument({ monitored_operators: [{ ...console, status: 'available' }] })]);
    expect((await gateway.call('GET', `${CLUSTERS}/${CLUSTER_ID}/credentials`)).body).toEqual({
      username: 'kubeadmin',
      password: 'pw',
      console_url: 'https://console-openshift-console.apps.one.example.com',
    });
  });

  it('show the kubeadmin password and no URL of a cluster without a console, once the password exists', async () => {
    const refusal = { code: 'not-ready', reason: 'kubeadmin-password is not made yet.' };
    let answer: JsonObject = { refusal };
    gateway.bus.subscribe('ignition.v1.read_artifact', async () => answer);
    await gateway.bus.flush();
    await gateway.project(2, [clusterDocument({ monitored_operators: [] })]);
    const show = () => gateway.call('GET', `${CLUSTERS}/${CLUSTER_ID}/credentials`);
    expect(await show()).toMatchObject({ status: 409, body: { reason: refusal.reason } });
    answer = { ok: { content: Buffer.from('pw').toString('base64') } };
    expect((await show()).body).toEqual({ username: 'kubeadmin', password: 'pw', console_url: '' });
  });

  it.each([
    ['cancelInstallation', 'POST', `clusters/${CLUSTER_ID}/actions/cancel`, 'cancel_installation_failed', {}],
    ['resetCluster', 'POST', `clusters/${CLUSTER_ID}/actions/reset`, 'reset_installation_failed', {}],
    ['deregisterCluster', 'DELETE', `clusters/${CLUSTER_ID}`, 'cluster_deregister_failed', {}],
    ['deregisterInfraEnv', 'DELETE', `infra-envs/${INFRA_ENV_ID}`, 'infra_env_deregister_failed', {}],
    [
      'resetHost',
      'POST',
      `infra-envs/${INFRA_ENV_ID}/hosts/${HOST_ID}/actions/reset`,
      'host_installation_reset_failed',
      { host_id: HOST_ID, host_name: 'host-one' },
    ],
  ] as const)('record the refusal of %s once an hour', async (order, method, path, name, props) => {
    await gateway.project(1, [clusterDocument(), hostDocument({ requested_hostname: 'host-one' })]);
    await gateway.answers(EventsService.method.recordNote, () => ({ position: 9 }));
    await gateway.refuses(RegistrationService.method[order], { code: 'not-allowed-in-state', reason: 'Not now.' });
    const notes = () => gateway.received.flatMap(({ body }) => (body['note'] ? [body['note']] : []));
    for (const _ of [1, 2]) expect((await gateway.call(method, `${API}/v2/${path}`)).status).toBe(409);
    await eventually('the refusal is recorded', () => notes().length > 0);
    const about = path.startsWith('clusters') ? { cluster_id: CLUSTER_ID } : { infra_env_id: INFRA_ENV_ID };
    expect(notes()).toEqual([
      expect.objectContaining({ name, severity: 'error', props: { ...about, ...props, error: 'Not now.' } }),
    ]);
  });
});
