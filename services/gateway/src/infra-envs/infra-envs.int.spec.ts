import { RegistrationService } from '@muster/contracts';
import { sealDocument } from '@muster/nest-kit';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import {
  CLUSTER_ID,
  clusterDocument,
  HOST_ID,
  hostDocument,
  INFRA_ENV_ID,
  infraEnvDocument,
} from '../sample-documents.fixture.spec';

const INFRA_ENVS = `${API}/v2/infra-envs`;
const HOST = `${INFRA_ENVS}/${INFRA_ENV_ID}/hosts/${HOST_ID}`;
const PULL_SECRET = JSON.stringify({ auths: { r: { auth: Buffer.from('u:p').toString('base64') } } });
const { registerInfraEnv, reviseInfraEnv, deregisterInfraEnv, reviseHost, bindHost, deregisterHost, installHost } =
  RegistrationService.method;

describe('infra-envs and hosts over REST', () => {
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway({ IMAGE_SERVICE_PORT: '9999' });
    await gateway.project(2, [clusterDocument(), infraEnvDocument(), hostDocument()]);
    for (const method of [reviseInfraEnv, deregisterInfraEnv, reviseHost, bindHost, deregisterHost, installHost]) {
      await gateway.answers(method, () => ({ stored: { position: 2, revision: 1 } }));
    }
  });
  afterEach(() => gateway.close());

  it('creates an infra-env that boots the version of its cluster', async () => {
    await gateway.answers(registerInfraEnv, async ({ infraEnvId }) => {
      await gateway.project(3, [infraEnvDocument({ id: String(infraEnvId) })]);
      return { stored: { position: 3, revision: 0 } };
    });
    const answer = await gateway.call('POST', INFRA_ENVS, {
      json: {
        name: 'one_infra-env',
        pull_secret: PULL_SECRET,
        cluster_id: CLUSTER_ID,
        cpu_architecture: 'x86_64',
        static_network_config: [{ network_yaml: 'a: 1', mac_interface_map: [{ mac_address: '02:00:00:00:00:01' }] }],
        kernel_arguments: [{ operation: 'append', value: 'quiet' }],
      },
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ kind: 'InfraEnv', name: 'one_infra-env' });
    expect(gateway.received[0]?.body).toMatchObject({
      pullSecret: PULL_SECRET,
      settings: {
        clusterId: CLUSTER_ID,
        openshiftVersion: '4.18',
        cpuArchitecture: 'x86_64',
        kernelArguments: '[{"operation":"append","value":"quiet"}]',
      },
      staticNetworkConfig: '[{"network_yaml":"a: 1","mac_interface_map":[{"mac_address":"02:00:00:00:00:01"}]}]',
    });
  });

  it.each([
    ['the default NTP sources of the service without other ones', {}, '192.0.2.1,192.0.2.2'],
    ['its own NTP sources', { additional_ntp_sources: '192.0.2.9' }, '192.0.2.9'],
    ['no NTP sources for an empty text', { additional_ntp_sources: '' }, ''],
    ['only the sources that replace all others', { ntp_sources: '192.0.2.9' }, undefined],
  ])('creates an infra-env with %s', async (_, given, expected) => {
    const own = await startRunningGateway({ NTP_DEFAULT_SERVER: '192.0.2.1,192.0.2.2' });
    await own.answers(registerInfraEnv, async ({ infraEnvId }) => {
      await own.project(3, [infraEnvDocument({ id: String(infraEnvId) })]);
      return { stored: { position: 3, revision: 0 } };
    });
    const json = { name: 'site', pull_secret: PULL_SECRET, openshift_version: '4.18', ...given };
    expect((await own.call('POST', INFRA_ENVS, { json })).status).toBe(201);
    const settings = own.received[0]?.body['settings'] as { readonly additionalNtpSources?: string };
    expect(settings.additionalNtpSources).toBe(expected);
    await own.close();
  });

  it.each([
    ['full-iso', '', 201, '4.18'],
    ['disconnected-iso', '', 201, '4.20'],
    ['minimal-iso', '4.20', 400, undefined],
  ])(
    'chooses for an image of type %s and version %j an image that it can be made from',
    async (type, version, ...expected) => {
      const osImage = {
        openshift_version: '4.18',
        cpu_architecture: 'x86_64',
        url: 'https://images.lan/a',
        version: 'a',
      };
      const disconnected = { ...osImage, openshift_version: '4.20', version: 'b', type: 'disconnected-iso' };
      const own = await startRunningGateway({ OS_IMAGES: JSON.stringify([osImage, disconnected]) });
      await own.answers(registerInfraEnv, async ({ infraEnvId }) => {
        await own.project(3, [infraEnvDocument({ id: String(infraEnvId) })]);
        return { stored: { position: 3, revision: 0 } };
      });
      const json = { name: 'site', pull_secret: PULL_SECRET, image_type: type, openshift_version: version };
      const { status, text } = await own.call('POST', INFRA_ENVS, { json });
      expect(text).not.toMatch(/4\.18.*4\.20/);
      const settings = own.received[0]?.body['settings'] as { readonly openshiftVersion?: string } | undefined;
      expect([status, settings?.openshiftVersion]).toEqual(expected);
      await own.close();
    },
  );

  it('returns the trust bundle from its sealed document', async () => {
    const { digest } = await sealDocument(gateway.platform.secrets, INFRA_ENV_ID, 'PEM');
    await gateway.project(3, [infraEnvDocument({ _trust_bundle_digest: digest })]);
    expect((await gateway.call('GET', `${INFRA_ENVS}/${INFRA_ENV_ID}`)).body).toMatchObject({
      id: INFRA_ENV_ID,
      additional_trust_bundle: 'PEM',
    });
  });

  it('returns an image URL with port 8888 of the requested address, or with the configured address', async () => {
    const answer = await gateway.call('GET', `${INFRA_ENVS}/${INFRA_ENV_ID}/downloads/image-url`);
    expect(answer.body).toEqual({
      url: `http://127.0.0.1:9999/byid/${INFRA_ENV_ID}/4.18/x86_64/full.iso`,
      expires_at: '0001-01-01T00:00:00.000Z',
    });
  });

  it('answers an update with 201 and leaves empty fields unchanged', async () => {
    const json = {
      ssh_authorized_key: '',
      pull_secret: '',
      image_type: 'minimal-iso',
      proxy: { http_proxy: 'http://p' },
    };
    expect((await gateway.call('PATCH', `${INFRA_ENVS}/${INFRA_ENV_ID}`, { json })).status).toBe(201);
    expect(gateway.received[0]?.body).toEqual({
      infraEnvId: INFRA_ENV_ID,
      changes: { imageType: 'minimal-iso', proxy: { httpProxy: 'http://p' } },
    });
  });

  it('lists by cluster, and answers a deletion with 204', async () => {
    const ids = async (query: string): Promise<unknown[]> =>
      ((await gateway.call('GET', `${INFRA_ENVS}/${query}`)).body as { id: string }[]).map(({ id }) => id);
    expect(await ids(`?cluster_id=${CLUSTER_ID}`)).toEqual([INFRA_ENV_ID]);
    expect(await ids(`?cluster_id=${HOST_ID}`)).toEqual([]);
    expect((await gateway.call('DELETE', `${INFRA_ENVS}/${INFRA_ENV_ID}`)).status).toBe(204);
  });

  it('answers an update of a host with 201 and the host', async () => {
    const json = {
      host_name: 'node-1',
      host_role: 'master',
      disks_selected_config: [
        { id: 'sda', role: 'install' },
        { id: 'sdb', role: 'none' },
      ],
      node_labels: [{ key: 'zone', value: 'a' }],
    };
    const answer = await gateway.call('PATCH', HOST, { json });
    expect(answer).toMatchObject({ status: 201, body: { id: HOST_ID } });
    expect(gateway.received[0]?.body).toEqual({
      infraEnvId: INFRA_ENV_ID,
      hostId: HOST_ID,
      hostName: 'node-1',
      hostRole: 'master',
      installationDiskId: 'sda',
      settings: { nodeLabels: '{"zone":"a"}' },
    });
  });

  it('passes secrets of a host on without showing or logging them', async () => {
    const json = {
      ignition_endpoint_token: 'canary-4711',
      ignition_endpoint_http_headers: [{ key: 'X-Rack', value: 'canary-4711' }],
      fencing_credentials: { address: 'https://bmc', username: 'root', password: 'canary-4711' },
    };
    const answer = await gateway.call('PATCH', HOST, { json });
    expect(answer.status).toBe(201);
    expect(gateway.received[0]?.body).toMatchObject({ ignitionEndpointToken: 'canary-4711', settings: {} });
    expect(answer.text).not.toContain('canary-4711');
    expect(gateway.log.join('\n')).not.toContain('canary-4711');
    const { fencing_credentials: fencing } = json;
    const refused = await gateway.call('PATCH', HOST, {
      json: { fencing_credentials: { ...fencing, certificate_verification: 'canary-4711' } },
    });
    expect(refused.body).toEqual({
      code: 400,
      message:
        'fencing_credentials.certificate_verification in body must be one of the following values: Enabled, Disabled',
    });
  });

  it('refuses an empty list of installation disks with 409', async () => {
    const disks = await gateway.call('PATCH', HOST, { json: { disks_selected_config: [] } });
    expect(disks).toMatchObject({ status: 409, body: { code: '409' } });
    expect(gateway.received).toEqual([]);
  });

  it('answers 200 to bind, 202 to install and 204 to delete', async () => {
    const bound = await gateway.call('POST', `${HOST}/actions/bind`, { json: { cluster_id: CLUSTER_ID } });
    expect(bound).toMatchObject({ status: 200, body: { id: HOST_ID } });
    expect((await gateway.call('POST', `${HOST}/actions/install`)).status).toBe(202);
    expect((await gateway.call('DELETE', HOST)).status).toBe(204);
    expect(await gateway.call('POST', `${HOST}/actions/bind`, { json: { cluster_id: 'one' } })).toMatchObject({
      status: 400,
    });
  });

  it('passes an Ignition override on beside the settings', async () => {
    const config = JSON.stringify({ ignition: { version: '3.2.0' } });
    const answer = await gateway.call('PATCH', `${HOST}/ignition`, { json: { config } });
    expect([answer.status, answer.text]).toEqual([201, '']);
    expect(gateway.received[0]?.body).toMatchObject({ settings: {}, ignitionConfigOverrides: config });
    expect(await gateway.call('PATCH', `${HOST}/ignition`, { json: { config: '{}' } })).toMatchObject({ status: 400 });
  });

  it('stores installer arguments as the text of a list', async () => {
    const args = ['--append-karg', 'ip=dhcp'];
    expect((await gateway.call('PATCH', `${HOST}/installer-args`, { json: { args } })).status).toBe(201);
    expect(gateway.received[0]?.body).toMatchObject({ settings: { installerArgs: JSON.stringify(args) } });
  });

  it('lists and shows hosts, and answers 404 for an unknown host', async () => {
    expect((await gateway.call('GET', `${INFRA_ENVS}/${INFRA_ENV_ID}/hosts/`)).body).toEqual([
      expect.objectContaining({ id: HOST_ID }),
    ]);
    expect((await gateway.call('GET', HOST)).body).toMatchObject({ id: HOST_ID, validations_info: expect.any(String) });
    const unknown = `${INFRA_ENVS}/${INFRA_ENV_ID}/hosts/${CLUSTER_ID}`;
    expect(await gateway.call('GET', unknown)).toMatchObject({ status: 404, body: { kind: 'Error' } });
    expect(await gateway.call('GET', `${INFRA_ENVS}/${HOST_ID}/hosts`)).toMatchObject({ status: 404 });
  });
});
