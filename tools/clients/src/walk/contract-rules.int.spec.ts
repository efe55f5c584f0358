import { runStep } from '@muster/service-agent';
import { eventually } from '@muster/testing';
import { PULL_SECRET } from './walk-call.fixture.spec';
import { openWalkWorld, type RestAnswer, type WalkWorld } from './walk-world.fixture.spec';

type Members = Readonly<Record<string, unknown>>;

const RELEASES = [
  ['4.18', '4.18.52', 'x86_64', ['x86_64']],
  ['4.18-multi', '4.18.52-multi', 'multi', ['x86_64', 'arm64', 'ppc64le', 's390x']],
].map(([openshift_version, version, cpu_architecture, cpu_architectures]) => ({
  openshift_version,
  version,
  cpu_architecture,
  cpu_architectures,
  url: `quay.io/muster/simulated-release:${String(version)}`,
  simulated: true,
}));
const VIPS = { api_vips: [{ ip: '192.168.140.5' }], ingress_vips: [{ ip: '192.168.140.6' }] };

/** One key in the format of ssh-keygen: the outer type, and the type inside the key material. */
function publicKey(outer: string, inner = outer): string {
  const parts = [Buffer.from(inner), Buffer.alloc(32, 1)].flatMap((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    return [length, part];
  });
  return `${outer} ${Buffer.concat(parts).toString('base64')} me@home`;
}

describe('requests and responses of the v2 API', () => {
  jest.setTimeout(120_000);
  let world: WalkWorld;
  let count = 0;
  beforeAll(async () => {
    world = await openWalkWorld({ RELEASE_IMAGES: JSON.stringify(RELEASES) });
  });
  afterAll(() => world.close());

  const parsed = ({ text }: RestAnswer): Members => JSON.parse(text) as Members;
  const cluster = (body: object = {}): Promise<RestAnswer> =>
    world.send('POST', '/clusters', {
      name: `rules-${(count += 1)}`,
      openshift_version: '4.18',
      base_dns_domain: 'example.com',
      pull_secret: PULL_SECRET,
      ...body,
    });
  const infraEnv = (body: object = {}): Promise<RestAnswer> =>
    world.send('POST', '/infra-envs', { name: `rules-${(count += 1)}`, pull_secret: PULL_SECRET, ...body });
  const made = async (answer: Promise<RestAnswer>): Promise<Members & { readonly id: string }> => {
    const { status, text } = await answer;
    expect([status, text]).toEqual([201, expect.any(String)]);
    return JSON.parse(text) as Members & { readonly id: string };
  };
  const expectRefused = async (answer: Promise<RestAnswer>, reason: RegExp): Promise<void> => {
    const found = await answer;
    expect([found.status, parsed(found)['reason'] ?? parsed(found)['message']]).toEqual([
      400,
      expect.stringMatching(reason),
    ]);
  };

  it.each([
    ['text that is not base64', 'ssh-ed25519 A*AA'],
    ['incomplete key material', publicKey('ssh-ed25519').replace(/.{8} me@home$/, '')],
    ['another type inside the key material', publicKey('ssh-rsa', 'ssh-ed25519')],
  ])('refuse an SSH key with %s', async (_, key) => {
    await expectRefused(cluster({ ssh_public_key: key }), /ssh_public_key/);
    await expectRefused(infraEnv({ openshift_version: '4.18', ssh_authorized_key: key }), /ssh_authorized_key/);
    const { id } = await made(cluster({ ssh_public_key: publicKey('ssh-ed25519') }));
    await expectRefused(world.send('PATCH', `/clusters/${id}`, { ssh_public_key: key }), /ssh_public_key/);
  });

  it('refuse a top-level domain of one letter', async () => {
    await expectRefused(cluster({ base_dns_domain: 'example.c' }), /top-level domain has at least two characters/);
    const { id } = await made(cluster());
    await expectRefused(world.send('PATCH', `/clusters/${id}`, { base_dns_domain: 'example.c' }), /base_dns_domain/);
  });

  it('accept VIPs of a single node, and contain no verification before it is known', async () => {
    const { api_vips, id, ingress_vips } = await made(cluster({ ...VIPS, control_plane_count: 1 }));
    expect({ api_vips, ingress_vips }).toEqual({
      api_vips: [{ cluster_id: id, ip: '192.168.140.5' }],
      ingress_vips: [{ cluster_id: id, ip: '192.168.140.6' }],
    });
  });

  it('contain the preflight requirements of LVM: 1 core and 100 MiB on the control plane', async () => {
    const { id } = await made(cluster());
    const { operators } = await world.read<{ operators: readonly Members[] }>(`/clusters/${id}/preflight-requirements`);
    expect(operators.find((one) => one['operator_name'] === 'lvm')).toMatchObject({
      requirements: { master: { quantitative: { cpu_cores: 1, ram_mib: 100 } } },
    });
  });

  it('answer 404 for the discovery Ignition of a disconnected infra-env without a cluster', async () => {
    const { id } = await made(infraEnv({ openshift_version: '4.18', image_type: 'disconnected-iso' }));
    const answer = await world.send('GET', `/infra-envs/${id}/downloads/files?file_name=discovery.ign`);
    expect([answer.status, parsed(answer)['reason']]).toEqual([404, expect.stringMatching(/not bound to a cluster/)]);
  });

  it('give the infra-env of a disconnected cluster the disconnected type, unless another is set', async () => {
    const { id } = await made(
      world.send('POST', '/clusters/disconnected', { name: 'away', openshift_version: '4.18' }),
    );
    expect(await made(infraEnv({ cluster_id: id }))).toMatchObject({ type: 'disconnected-iso' });
    expect(await made(infraEnv({ cluster_id: id, image_type: 'minimal-iso' }))).toMatchObject({ type: 'minimal-iso' });
  });

  it('accept the report of an operator before the installation', async () => {
    const { id } = await made(cluster());
    const path = `/clusters/${id}/monitored-operators`;
    const report = { name: 'console', status: 'progressing', status_info: 'pods start' };
    expect((await world.send('PUT', path, report)).status).toBe(200);
    expect(await world.read(path)).toMatchObject([report]);
  });

  it('omit the static networks of an infra-env that has none', async () => {
    const { id, ...shown } = await made(infraEnv({ openshift_version: '4.18', static_network_config: [] }));
    expect(shown).not.toHaveProperty('static_network_config');
    const { text } = await world.send('PATCH', `/infra-envs/${id}`, { static_network_config: [] });
    expect(JSON.parse(text)).not.toHaveProperty('static_network_config');
  });

  it.each(['replace', 'delete'])('refuse to %s kernel arguments', async (operation) => {
    const kernel_arguments = [{ operation, value: 'quiet' }];
    await expectRefused(
      infraEnv({ openshift_version: '4.18', kernel_arguments }),
      /only supported operation is append/,
    );
    const { id } = await made(infraEnv({ openshift_version: '4.18' }));
    await expectRefused(world.send('PATCH', `/infra-envs/${id}`, { kernel_arguments }), /only supported operation/);
  });

  it.each(['s390x', 'ppc64le'])('default to platform none on %s, and refuse another network setting', async (arch) => {
    const on = (body: object): Promise<RestAnswer> => cluster({ cpu_architecture: arch, ...body });
    const shown = await made(on({}));
    expect(shown).toMatchObject({
      cpu_architecture: 'multi',
      platform: { type: 'none' },
      user_managed_networking: true,
    });
    const reason = new RegExp(`Cluster Managed Networking cannot be used on architecture ${arch}`);
    await expectRefused(on({ platform: { type: 'baremetal' } }), reason);
    await expectRefused(on({ user_managed_networking: false, platform: { type: 'baremetal' } }), reason);
    await made(infraEnv({ cluster_id: shown.id, openshift_version: '4.18', cpu_architecture: arch }));
    const change = { user_managed_networking: false, platform: { type: 'baremetal' } };
    await expectRefused(world.send('PATCH', `/clusters/${shown.id}`, change), reason);
  });

  it('check the update of a multi-architecture cluster for the infra-envs that are bound to it', async () => {
    const { id } = await made(cluster({ openshift_version: '4.18-multi', cpu_architecture: 'multi', ...VIPS }));
    const odf = { olm_operators: [{ name: 'odf' }] };
    await made(infraEnv({ cluster_id: id, openshift_version: '4.18-multi', cpu_architecture: 'x86_64' }));
    await made(infraEnv({ openshift_version: '4.18-multi', cpu_architecture: 'arm64' }));
    expect((await world.send('PATCH', `/clusters/${id}`, odf)).status).toBe(201);
    expect((await world.send('PATCH', `/clusters/${id}`, { olm_operators: [] })).status).toBe(201);
    await made(infraEnv({ cluster_id: id, openshift_version: '4.18-multi', cpu_architecture: 'arm64' }));
    await expectRefused(world.send('PATCH', `/clusters/${id}`, odf), /OpenShift Data Foundation .* arm64/);
  });

  describe('with the host of a single node', () => {
    const AGENT = 'quay.io/muster/agent:latest';
    let clusterId = '';
    let hosts = '';
    let path = '';

    /** The agent answers its steps once. `outputs` replaces the reply to a step. Returns the types of the steps. */
    async function work(outputs: { readonly [step: string]: object } = {}): Promise<readonly string[]> {
      const { instructions } = await world.read<{
        instructions: { step_type: string; step_id: string; args: string[] }[] | null;
      }>(`${path}/instructions`, { discovery_agent_version: AGENT });
      for (const { args, step_id, step_type } of instructions ?? []) {
        const never = new AbortController().signal;
        const { error, exitCode, output } = await runStep(world.machine(0), step_type, args, never);
        const body = { exit_code: exitCode, error, output, ...outputs[step_type], step_id, step_type };
        expect((await world.send('POST', `${path}/instructions`, body)).status).toBe(204);
      }
      return (instructions ?? []).map(({ step_type }) => step_type);
    }
    const host = (): Promise<Members> => world.read(path);
    const shown = (): Promise<Members> => world.read(`/clusters/${clusterId}`);

    beforeAll(async () => {
      clusterId = (await made(cluster({ control_plane_count: 1 }))).id;
      hosts = `/infra-envs/${(await made(infraEnv({ cluster_id: clusterId }))).id}/hosts`;
      path = `${hosts}/${world.machine(0).hostId}`;
      const body = { host_id: world.machine(0).hostId, discovery_agent_version: 'agent:old' };
      expect((await world.send('POST', hosts, body)).status).toBe(201);
    });

    it('contain the agent version of the last poll', async () => {
      expect(await host()).toMatchObject({ discovery_agent_version: 'agent:old' });
      await work();
      await eventually('the version is shown', async () => (await host())['discovery_agent_version'] === AGENT);
    });

    it('contain image results by name, and stop a host whose disk check fails while the cluster prepares', async () => {
      await eventually('the cluster is ready', async () => {
        await work();
        return (await shown())['status'] === 'ready';
      });
      expect((await world.send('POST', `/clusters/${clusterId}/actions/install`)).status).toBe(202);
      const noDiskCheck = { 'installation-disk-speed-check': { output: '' } };
      await eventually('the images are checked', async () => {
        await work(noDiskCheck);
        return typeof (await host())['images_status'] === 'string';
      });
      const images = JSON.parse(String((await host())['images_status'])) as { [name: string]: Members };
      expect(Object.keys(images).length).toBeGreaterThan(0);
      for (const [name, image] of Object.entries(images)) expect(image).toMatchObject({ name, result: 'success' });

      expect([(await shown())['status'], (await host())['status']]).toEqual([
        'preparing-for-installation',
        'preparing-for-installation',
      ]);
      const failing = { 'installation-disk-speed-check': { exit_code: 1, error: 'fio failed' } };
      expect(await work(failing)).toContain('installation-disk-speed-check');
      await eventually('the host stops', async () => (await host())['status'] === 'insufficient');
      await eventually('the cluster stops', async () => (await shown())['status'] === 'insufficient');
    });

    it('contain no machine networks after the last host is gone', async () => {
      expect((await shown())['machine_networks']).toMatchObject([{ cidr: '192.168.140.0/24' }]);
      expect((await world.send('DELETE', path)).status).toBe(204);
      await eventually(
        'the networks are removed',
        async () => JSON.stringify((await shown())['machine_networks']) === '[]',
      );
    });
  });
});
