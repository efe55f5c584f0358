import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBootImageFile } from '@muster/service-agent';
import { temporaryDirectory } from '@muster/testing';
import { type SimulatedFleet, simulatedFleet, type SimulatedMachine } from '@muster/tool-simulator';
import { SSH_KEY } from '../aicli';
import {
  type Cluster,
  type ConsoleWorld,
  type Host,
  type InfraEnv,
  type Members,
  HOST_ROW,
  networkingForm,
  NEW_CLUSTER,
  nullsIn,
  openConsoleWorld,
  parsed,
  PULL_SECRET,
  TIMEOUT_MS,
  UNSET_TIME,
  until,
} from './console-world.fixture.spec';
import { closedBy, WIZARD_GATES } from './wizard-gates.fixture.spec';

const TIME_SCALE = 400;
const ARCHITECTURES = ['x86_64', 'arm64', 's390x', 'ppc64le'];
const LEVELS = ['supported', 'dev-preview', 'tech-preview', 'unavailable', 'unsupported'];
describe('the wizard of the web console', () => {
  jest.setTimeout(TIMEOUT_MS + 30_000);
  let world: ConsoleWorld;
  let fleet: SimulatedFleet;
  const folder = temporaryDirectory();
  let clusterId = '';
  let infraEnvId = '';
  beforeAll(async () => {
    fleet = simulatedFleet({
      machines: 5,
      namePrefix: 'web',
      seed: 'console',
      timeScale: TIME_SCALE,
      machineNetwork: '192.168.150.0/24',
      transport: 'http',
    });
    world = await openConsoleWorld();
  });
  afterAll(async () => {
    await fleet.powerOff();
    await world.close();
    folder.remove();
  });

  const boot = async (url: string, machines: readonly SimulatedMachine[]): Promise<void> => {
    const path = join(folder.path, 'discovery.iso');
    await writeFile(path, Buffer.from(await (await fetch(url)).arrayBuffer()));
    for (const machine of machines) {
      machine.insert(await readBootImageFile(path));
      machine.powerOn();
    }
  };
  const cluster = (): Promise<Cluster> => world.get(`/clusters/${clusterId}`);
  const patch = async (path: string, body: object): Promise<Cluster> => {
    const answer = await world.call<Cluster>('PATCH', path, body);
    expect([path, answer.status, answer.status === 201 ? '' : answer.body]).toEqual([path, 201, '']);
    return answer.body;
  };
  const untilOpen = (step: keyof typeof WIZARD_GATES): Promise<void> =>
    until(step, async () => {
      const shown = await cluster();
      return closedBy(step, shown, shown.hosts);
    });
  const untilStatus = (status: string): Promise<void> =>
    until(`the cluster is ${status}`, async () => {
      const shown = await cluster();
      return shown.status === status ? [] : [`${shown.status}: ${shown.status_info}`];
    });

  it('reads lists and default settings before a cluster exists', async () => {
    expect(await world.get('/clusters/')).toEqual([]);
    const defaults = await world.get<Members>('/clusters//default-config');
    expect(defaults).toMatchObject({ cluster_network_cidr: '10.128.0.0/14', cluster_network_host_prefix: 23 });
    expect(defaults['forbidden_hostnames']).toContain('localhost');
    for (const onlyLatest of [true, false]) {
      const versions = await world.get<{ readonly [version: string]: Members }>(
        `/openshift-versions?only_latest=${onlyLatest}`,
      );
      for (const version of Object.values(versions)) {
        expect(version).toMatchObject({ display_name: expect.any(String), support_level: expect.any(String) });
        expect(Array.isArray(version['cpu_architectures'])).toBe(true);
      }
      expect(Object.values(versions).filter((version) => version['default'] === true)).toHaveLength(1);
    }
    expect(await world.get('/domains')).toEqual([]);
    for (const architecture of ARCHITECTURES) {
      const { features } = await world.get<{ readonly features: Members }>(
        `/support-levels/features?openshift_version=4.18&cpu_architecture=${architecture}`,
      );
      expect(Object.keys(features).length).toBeGreaterThan(0);
      for (const level of Object.values(features)) expect(LEVELS).toContain(level);
    }
    expect(await world.get('/support-levels/architectures?openshift_version=4.18')).toMatchObject({
      architectures: expect.any(Object),
    });
    expect(await world.get('/component-versions')).toMatchObject({ versions: expect.any(Object) });
  });

  it('creates a cluster, its infra-env and its UI settings', async () => {
    const made = await world.call<Cluster>('POST', '/clusters/', {
      name: 'web',
      control_plane_count: 3,
      openshift_version: '4.18',
      pull_secret: PULL_SECRET,
      base_dns_domain: 'example.com',
      cpu_architecture: 'x86_64',
      disk_encryption: { mode: 'tpmv2', enable_on: 'none' },
    });
    expect(made.status).toBe(201);
    clusterId = made.body.id;
    const infraEnv = await world.call<InfraEnv>('POST', '/infra-envs/', {
      name: 'web_infra-env',
      pull_secret: PULL_SECRET,
      cluster_id: clusterId,
      openshift_version: '4.18',
      cpu_architecture: 'x86_64',
    });
    expect(infraEnv.status).toBe(201);
    infraEnvId = infraEnv.body.id;
    const settings = `/clusters/${clusterId}/ui-settings`;
    expect(await world.get(settings)).toBe('');
    expect((await world.call('PUT', settings, 'AI_UI:{"addCustomManifests":false}')).status).toBe(200);
    expect(await world.get(settings)).toBe('AI_UI:{"addCustomManifests":false}');
  });

  it('shows a new cluster with all members that the page requires', async () => {
    const shown = await cluster();
    expect(nullsIn(shown)).toEqual([]);
    expect(shown).toMatchObject({ id: clusterId, ...NEW_CLUSTER });
    expect(Array.isArray(shown['monitored_operators'])).toBe(true);
    for (const text of ['feature_usage', 'validations_info']) {
      expect([text, typeof shown[text]]).toEqual([text, 'string']);
      expect(parsed(shown[text])).toEqual(expect.any(Object));
    }
    await untilOpen('cluster details');
    const infraEnvs = await world.get<readonly InfraEnv[]>(`/infra-envs/?cluster_id=${clusterId}`);
    expect(infraEnvs.map(({ id }) => id)).toEqual([infraEnvId]);
    const infraEnv = await world.get<InfraEnv>(`/infra-envs/${infraEnvId}`);
    expect(nullsIn(infraEnv)).toEqual([]);
    expect(infraEnv).toMatchObject({ id: infraEnvId, cpu_architecture: 'x86_64', type: 'full-iso', proxy: {} });
  });

  it('lists operators and accepts a selection', async () => {
    const requirements = await world.get<{ readonly ocp: Members; readonly operators: readonly Members[] }>(
      `/clusters/${clusterId}/preflight-requirements`,
    );
    expect(requirements.ocp).toMatchObject({ master: { quantitative: { cpu_cores: 4, ram_mib: 16_384 } } });
    const bundles = await world.get<readonly Members[]>(
      '/operators/bundles?openshift_version=4.18&cpu_architecture=x86_64&platform_type=baremetal',
    );
    for (const bundle of bundles)
      expect(bundle).toMatchObject({ id: expect.any(String), title: expect.any(String), operators: expect.any(Array) });
    const names = await world.get<readonly string[]>('/supported-operators');
    expect(names).toEqual(expect.arrayContaining(['lso', 'odf', 'lvm', 'cnv']));
    const chosen = await patch(`/clusters/${clusterId}`, { olm_operators: [{ name: 'lso' }] });
    expect(chosen['monitored_operators']).toContainEqual(
      expect.objectContaining({ name: 'lso', operator_type: 'olm' }),
    );
    await patch(`/clusters/${clusterId}`, { olm_operators: [] });
  });

  it('returns an image and enables the next step after the hosts registered', async () => {
    await patch(`/clusters/${clusterId}`, { http_proxy: '', https_proxy: '', no_proxy: '', ssh_public_key: '' });
    await patch(`/infra-envs/${infraEnvId}`, { proxy: {}, ssh_authorized_key: '', image_type: 'full-iso' });
    const signed = await world.get<Members>(
      `/infra-envs/${infraEnvId}/downloads/files-presigned?file_name=ipxe-script`,
    );
    expect(signed['url']).toMatch(/^http:/);
    const { url } = await world.get<{ readonly url: string }>(`/infra-envs/${infraEnvId}/downloads/image-url`);
    await boot(url, fleet.machines.slice(0, 4));
    await until('four hosts are found', async () => {
      const { hosts } = await cluster();
      return hosts.filter(({ inventory }) => inventory).length === 4 ? [] : [`${hosts.length} hosts`];
    });
    await untilOpen('host discovery');
    await untilOpen('storage');
  });

  it('shows hosts with all members that the table requires, and changes them', async () => {
    const { hosts } = await cluster();
    expect(nullsIn(hosts)).toEqual([]);
    for (const host of hosts) {
      expect(host).toMatchObject(HOST_ROW);
      expect(parsed(host['inventory'])).toMatchObject({
        hostname: host['requested_hostname'],
        disks: expect.any(Array),
      });
    }
    const [first] = hosts;
    if (!first) throw new Error('There is no host.');
    const path = `/infra-envs/${infraEnvId}/hosts/${first.id}`;
    const renamed = await patch(path, { host_name: 'web-one' });
    expect(renamed['requested_hostname']).toBe('web-one');
    expect((await patch(path, { node_labels: [{ key: 'rack', value: 'a' }] }))['node_labels']).toBe('{"rack":"a"}');
    expect((await patch(path, { host_role: 'master' }))['role']).toBe('master');
    expect((await patch(path, { host_role: 'auto-assign' }))['role']).toBe('auto-assign');
  });

  it('requires network settings and enables the review', async () => {
    expect(closedBy('networking', await cluster(), [])).not.toEqual([]);
    const form = networkingForm(clusterId);
    const answered = await patch(`/clusters/${clusterId}`, form);
    expect(answered).toMatchObject({
      api_vips: [{ ip: '192.168.150.100' }],
      ingress_vips: [{ ip: '192.168.150.101' }],
    });
    await untilStatus('ready');
    await untilOpen('networking');
    await untilOpen('review');
    const shown = await cluster();
    expect(shown).toMatchObject({ enabled_host_count: 4, machine_networks: [{ cidr: '192.168.150.0/24' }] });
    expect(await patch(`/clusters/${clusterId}`, { ...form, ssh_public_key: SSH_KEY })).toMatchObject({
      machine_networks: [{ cidr: '192.168.150.0/24' }],
      ssh_public_key: SSH_KEY,
      status: 'ready',
    });
    expect(parsed(shown['connectivity_majority_groups'])).toMatchObject({ '192.168.150.0/24': expect.any(Array) });
    expect(await world.get(`/clusters/${clusterId}/manifests`)).toEqual([]);
  });

  it('pages through events with the counts in the headers', async () => {
    const { headers, body } = await world.call<readonly Members[]>(
      'GET',
      `/events?order=descending&cluster_id=${clusterId}&limit=2&offset=0&cluster_level=true&deleted_hosts=true`,
    );
    expect(body).toHaveLength(2);
    for (const name of ['Event-Count', 'Severity-Count-Info', 'Severity-Count-Warning', 'Severity-Count-Error'])
      expect([name, headers.get(name)]).toEqual([name, expect.stringMatching(/^\d+$/)]);
    for (const event of body)
      expect(event).toMatchObject({ event_time: expect.any(String), message: expect.any(String), severity: 'info' });
  });

  it('installs the cluster, shows its progress, and downloads its credentials', async () => {
    expect((await world.call('POST', `/clusters/${clusterId}/actions/install`)).status).toBe(202);
    await untilStatus('installed');
    const shown = await cluster();
    expect(shown).toMatchObject({ progress: { total_percentage: 100 }, status: 'installed' });
    expect(shown['install_completed_at']).not.toBe(UNSET_TIME);
    for (const host of shown.hosts)
      expect(host).toMatchObject({ installer_version: expect.stringMatching(/installer/), status: 'installed' });
    expect(await world.get(`/clusters/${clusterId}/credentials`)).toMatchObject({
      username: 'kubeadmin',
      password: expect.any(String),
      console_url: expect.stringMatching(/^https:/),
    });
    expect(await world.get(`/clusters/${clusterId}/downloads/credentials?file_name=kubeconfig`)).toContain('clusters:');
    const logs = await world.call<string>('GET', `/clusters/${clusterId}/logs?logs_type=all`);
    expect(logs.headers.get('content-disposition')).toMatch(/filename=/);
  });

  it('adds a host to the installed cluster, which the host joins as an imported one', async () => {
    const installed = await cluster();
    const openshiftClusterId = String(installed['openshift_cluster_id']);
    const found = await world.get<readonly Cluster[]>(`/clusters/?openshift_cluster_id=${openshiftClusterId}`);
    expect(found.map(({ id }) => id)).toEqual([clusterId]);
    const imported = await world.call<Cluster>('POST', '/clusters/import', {
      name: 'web-day2',
      api_vip_dnsname: 'api.web.example.com',
      openshift_cluster_id: openshiftClusterId,
    });
    expect(imported).toMatchObject({ status: 201, body: { kind: 'AddHostsCluster', status: 'adding-hosts' } });
    const infraEnv = await world.call<InfraEnv>('POST', '/infra-envs', {
      name: 'web-day2',
      pull_secret: PULL_SECRET,
      cluster_id: imported.body.id,
      openshift_version: '4.18',
    });
    const { url } = await world.get<{ readonly url: string }>(`/infra-envs/${infraEnv.body.id}/downloads/image-url`);
    await boot(url, fleet.machines.slice(4));
    const untilHost = (status: string): Promise<void> =>
      until(`the host is ${status}`, async () => {
        const [host] = await world.get<readonly Host[]>(`/infra-envs/${infraEnv.body.id}/hosts`);
        return host?.status === status ? [] : [`${host?.status}: ${String(host?.['status_info'])}`];
      });
    await untilHost('known');
    const [host] = await world.get<readonly Host[]>(`/infra-envs/${infraEnv.body.id}/hosts`);
    expect(host).toMatchObject({ kind: 'AddToExistingClusterHost', role: 'worker' });
    // The controller reported the console URL that it read from the cluster itself.
    expect(parsed(host?.['api_vip_connectivity'])).toMatchObject({ is_success: true });
    const install = `/infra-envs/${infraEnv.body.id}/hosts/${host?.id}/actions/install`;
    expect((await world.call('POST', install)).status).toBe(202);
    await untilHost('added-to-existing-cluster');
    await until('the host is a node of the cluster', async () =>
      fleet.world.cluster(clusterId).nodes.get(host?.id ?? '')?.isReady ? [] : ['not yet'],
    );
  });
});
