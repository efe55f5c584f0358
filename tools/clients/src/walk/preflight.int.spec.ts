import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runStep } from '@muster/service-agent';
import { eventually } from '@muster/testing';
import { PULL_SECRET } from './walk-call.fixture.spec';
import { openWalkWorld, type WalkWorld } from './walk-world.fixture.spec';

const OWN = '/../../muster/v1';
const REAL = join(__dirname, '..', '..', '..', '..', '..', 'shared', 'fixtures', 'inventory');
const CLUSTER = {
  name: 'preview',
  openshift_version: '4.18',
  base_dns_domain: 'example.com',
  api_vips: [{ ip: '192.168.140.5' }],
  ingress_vips: [{ ip: '192.168.140.6' }],
};

interface Validation {
  readonly id: string;
  readonly status: string;
  readonly message: string;
}
interface Preflight {
  readonly result: string;
  readonly blocking: readonly { readonly host_id: string | null; readonly id: string }[];
  readonly unmeasured: readonly { readonly id: string }[];
  readonly machine_networks: readonly string[];
  readonly validations: readonly Validation[];
  readonly hosts: readonly {
    readonly host_id: string;
    readonly role: string;
    readonly installation_disk_id: string;
    readonly validations: readonly Validation[];
  }[];
}

describe('a preflight dry run', () => {
  let world: WalkWorld;
  beforeAll(async () => {
    world = await openWalkWorld();
  });
  afterAll(() => world.close());

  const preflight = async (body: unknown): Promise<{ status: number; body: Preflight; text: string }> => {
    const { status, text } = await world.send('POST', `${OWN}/preflight`, body);
    return { status, body: JSON.parse(text) as Preflight, text };
  };
  const stepOf = async (index: number, type: string, args: readonly string[] = []): Promise<string> =>
    (await runStep(world.machine(index), type, [...args], new AbortController().signal)).output;
  const hostsOf = async () =>
    Promise.all(
      [0, 1, 2].map(async (index) => ({
        host_id: world.machine(index).hostId,
        inventory: JSON.parse(await stepOf(index, 'inventory', [world.machine(index).hostId])) as object,
      })),
    );

  it('returns the outcomes that the same cluster and hosts get when they exist, and stores nothing', async () => {
    const headBefore = await world.muster.platform.eventStore.head();
    const { status, body } = await preflight({ cluster: CLUSTER, hosts: await hostsOf() });
    expect(status).toBe(200);
    expect(await world.muster.platform.eventStore.head()).toBe(headBefore);
    expect(body).toMatchObject({
      result: 'ready-once-measured',
      blocking: [],
      machine_networks: ['192.168.140.0/24'],
    });
    expect(body.hosts.map(({ role }) => role)).toEqual(['master', 'master', 'master']);

    const cluster = JSON.parse(
      (await world.send('POST', '/clusters', { ...CLUSTER, pull_secret: PULL_SECRET })).text,
    ) as { id: string };
    const infraEnv = JSON.parse(
      (
        await world.send('POST', '/infra-envs', {
          name: 'preview',
          cluster_id: cluster.id,
          pull_secret: PULL_SECRET,
          openshift_version: '4.18',
        })
      ).text,
    ) as { id: string };
    const hosts = `/infra-envs/${infraEnv.id}/hosts`;
    for (const index of [0, 1, 2]) {
      const { hostId } = world.machine(index);
      await world.send('POST', hosts, { host_id: hostId, discovery_agent_version: 'quay.io/muster/agent:latest' });
    }
    await eventually('every host has a role and a disk', async () => {
      for (const index of [0, 1, 2]) {
        const path = `${hosts}/${world.machine(index).hostId}/instructions`;
        const { instructions } = await world.read<{ instructions: { step_type: string; step_id: string }[] | null }>(
          path,
        );
        for (const { step_type, step_id } of instructions ?? [])
          if (step_type === 'inventory')
            await world.send('POST', path, {
              step_type,
              step_id,
              exit_code: 0,
              error: '',
              output: await stepOf(index, 'inventory', [world.machine(index).hostId]),
            });
      }
      const seen = await world.read<{ suggested_role?: string; installation_disk_id?: string }[]>(hosts);
      return seen.every((host) => host.suggested_role === 'master' && Boolean(host.installation_disk_id));
    });
    for (const [index, previewed] of body.hosts.entries()) {
      const { hostId } = world.machine(index);
      expect(previewed.host_id).toBe(hostId);
      await eventually('the outcomes equal those of the dry run', async () => {
        const { text } = await world.send('GET', `${OWN}${hosts}/${hostId}/validations`);
        const { validations } = JSON.parse(text) as { validations: readonly Validation[] };
        const statuses = (all: readonly Validation[]): string =>
          all.map(({ id, status: one }) => `${id} ${one}`).join('\n');
        return statuses(validations) === statuses(previewed.validations);
      });
      const shown = await world.read<{ installation_disk_id: string }>(`${hosts}/${hostId}`);
      expect(shown.installation_disk_id).toBe(previewed.installation_disk_id);
    }
  });

  it('reports what would block an installation, with the host', async () => {
    const [first, ...others] = await hostsOf();
    const weak = {
      ...first,
      inventory: { ...first?.inventory, memory: { physical_bytes: 2 ** 30, usable_bytes: 2 ** 30 } },
    };
    const { body } = await preflight({ cluster: CLUSTER, hosts: [weak, ...others] });
    expect(body.result).toBe('blocked');
    expect(body.blocking).toEqual(
      expect.arrayContaining([expect.objectContaining({ host_id: first?.host_id, id: 'has-min-memory' })]),
    );
    expect(body.blocking.filter(({ host_id: id }) => id !== null && id !== first?.host_id)).toEqual([]);
  });

  it('accepts reports, and their measurements are no longer unmeasured', async () => {
    const hosts = await hostsOf();
    const open = (await preflight({ cluster: CLUSTER, hosts })).body.unmeasured.map(({ id }) => id);
    expect(open).toContain('dns-wildcard-not-configured');
    const names = ['validateNoWildcardDNS.preview.example.com', 'validateNoWildcardDNS.preview.example.com.'];
    const args = [JSON.stringify({ domains: names.map((domain_name) => ({ domain_name })) })];
    const measured = await Promise.all(
      hosts.map(async (host, index) => ({
        ...host,
        reports: [{ step_type: 'domain-resolution', output: await stepOf(index, 'domain-resolution', args) }],
      })),
    );
    expect((await preflight({ cluster: CLUSTER, hosts: measured })).body.unmeasured.map(({ id }) => id)).not.toContain(
      'dns-wildcard-not-configured',
    );
  });

  it('accepts a single node whose names were not resolved yet', async () => {
    const [first] = await hostsOf();
    const cluster = { ...CLUSTER, api_vips: undefined, ingress_vips: undefined, control_plane_count: 1 };
    const { body } = await preflight({ cluster, hosts: [first] });
    expect(body).toMatchObject({ result: 'ready-once-measured', blocking: [] });
    // npm start serves the names of a single node itself.
    expect(body.unmeasured.map(({ id }) => id)).toContain('dns-wildcard-not-configured');
    expect(body.unmeasured.map(({ id }) => id)).not.toContain('api-domain-name-resolved-correctly');
  });

  it.each([
    [{ cluster: { ...CLUSTER, openshift_version: '3.11' } }, /openshift_version/],
    [{ cluster: { ...CLUSTER, api_vips: [{ ip: 'nowhere' }] } }, /api_vips/],
    [{ cluster: { ...CLUSTER, olm_operators: [{ name: 'magic' }] } }, /Unknown operators: magic/],
    [{ cluster: { ...CLUSTER, operator_bundles: [{ id: 'magic' }] } }, /Bundle magic does not exist/],
    [{ cluster: CLUSTER, hosts: [{ inventory: '{"cpu":' }] }, /hosts\.0/],
    [{ cluster: CLUSTER, hosts: [{ inventory: { cpu: {}, memory: {}, disks: 7 } }] }, /hosts\.0.*disks/],
    [{ cluster: CLUSTER, hosts: [{ reports: [{ step_type: 'dance', output: {} }] }] }, /hosts\.0.*dance/],
    [{ cluster: CLUSTER, hosts: [{ role: 'king' }] }, /role/],
    [{ cluster: CLUSTER, colour: 'blue' }, /colour/],
    [{}, /cluster/],
  ])('refuses %j with the place', async (body, place) => {
    const { status, text } = await preflight(body);
    expect([status, text]).toEqual([400, expect.stringMatching(place)]);
  });

  it('refuses two hosts with one id', async () => {
    const [host] = await hostsOf();
    const { status, text } = await preflight({ cluster: CLUSTER, hosts: [host, host] });
    expect([status, text]).toEqual([400, expect.stringContaining('is used twice')]);
  });

  const documents = existsSync(REAL) ? readdirSync(REAL).filter((name) => name.endsWith('.json')) : [];
  const onReal = documents.length > 0 ? it : it.skip;
  onReal(`evaluates real machines${documents.length > 0 ? '' : ' (skipped: there are no fixtures)'}`, async () => {
    const hosts = documents.map((name) => ({ inventory: readFileSync(join(REAL, name), 'utf8') }));
    const { status, body } = await preflight({ cluster: CLUSTER, hosts });
    expect(status).toBe(200);
    expect(body.hosts).toHaveLength(documents.length);
    for (const host of body.hosts) expect(host.validations.length).toBeGreaterThan(20);
  });
});
