import { DEFAULT_RELEASE_SOURCES } from '@muster/assisted-api';
import { OPERATOR_NAMES } from '@muster/operators';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument, hostDocument } from '../sample-documents.fixture.spec';

describe('catalogue routes', () => {
  let gateway: RunningGateway;
  const get = (path: string) => gateway.call('GET', `${API}/v2/${path}`);
  const LEVELS = 'support-levels/features';

  beforeAll(async () => {
    gateway = await startRunningGateway();
  });
  afterAll(() => gateway.close());

  it('list the release channels', async () => {
    expect((await get('release-sources')).body).toEqual(DEFAULT_RELEASE_SOURCES);
  });

  it('return support levels of features for a version, with x86_64 as the default architecture', async () => {
    const x86 = await get(`${LEVELS}?openshift_version=4.18`);
    expect(x86).toMatchObject({
      status: 200,
      body: { features: { SNO: 'supported', ODF: 'supported', TNA: 'unavailable' } },
    });
    const arm = await get(`${LEVELS}?openshift_version=4.18&cpu_architecture=aarch64&platform_type=baremetal`);
    expect(arm.body).toMatchObject({ features: { ODF: 'unavailable', PLATFORM_MANAGED_NETWORKING: 'unsupported' } });
    expect(arm.body).not.toHaveProperty('features.BAREMETAL_PLATFORM');
  });

  it('return support levels of Oracle Cloud, whose name is evaluated only with platform external', async () => {
    const level = async (platform: string) =>
      (
        (await get(`${LEVELS}?openshift_version=4.18&platform_type=${platform}&external_platform_name=oci`)).body as {
          features: Record<string, string>;
        }
      ).features['FULL_ISO'];
    expect([await level('external'), await level('none')]).toEqual(['unavailable', 'supported']);
  });

  it('refuse a query without a version and unknown values', async () => {
    const validator = async (query: string) => {
      const { status, body } = await get(query);
      return [status, (body as { message?: string }).message?.split(' ')[0]];
    };
    expect(await validator(LEVELS)).toEqual([400, 'openshift_version']);
    expect(await validator('support-levels/architectures')).toEqual([400, 'openshift_version']);
    expect(await validator(`${LEVELS}?openshift_version=4.18&cpu_architecture=vax`)).toEqual([400, 'cpu_architecture']);
    expect(await validator(`${LEVELS}/detailed?openshift_version=4.18&cpu_architecture=aarch64`)).toEqual([
      400,
      'cpu_architecture',
    ]);
    expect(await validator(`${LEVELS}?openshift_version=4.18&platform_type=abacus`)).toEqual([400, 'platform_type']);
  });

  it('list operators separately from other features, with their dependencies', async () => {
    const { body } = await get(`${LEVELS}/detailed?openshift_version=4.18&platform_type=nutanix`);
    const { features, operators } = body as Record<'features' | 'operators', Record<string, unknown>[]>;
    const idOf = (row: Record<string, unknown>) => row['feature-support-level-id'];
    expect(features.map(idOf)).not.toContain('ODF');
    expect(operators.find((row) => idOf(row) === 'ODF')).toEqual({
      'feature-support-level-id': 'ODF',
      support_level: 'supported',
      name: 'odf',
      dependencies: ['LSO'],
      incompatibilities: ['SNO', 'LVM'],
    });
    expect(operators.find((row) => idOf(row) === 'CNV')).toMatchObject({
      support_level: 'unavailable',
      reason: 'platform',
    });
  });

  it('refuse the platform of a version that does not support it with 400', async () => {
    const { status, body } = await get(`${LEVELS}/detailed?openshift_version=4.10&platform_type=nutanix`);
    expect([status, body]).toEqual([400, expect.objectContaining({ kind: 'Error', code: '400' })]);
    expect((body as { reason: string }).reason).toContain('nutanix');
  });

  it('return support levels of architectures', async () => {
    expect((await get('support-levels/architectures?openshift_version=4.12.3')).body).toEqual({
      architectures: {
        X86_64_ARCHITECTURE: 'supported',
        ARM64_ARCHITECTURE: 'supported',
        S390X_ARCHITECTURE: 'tech-preview',
        PPC64LE_ARCHITECTURE: 'tech-preview',
        MULTIARCH_RELEASE_IMAGE: 'tech-preview',
      },
    });
  });

  it('list the names of operators, which have no properties', async () => {
    const names = (await get('supported-operators')).body as string[];
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining(['amd-gpu', 'odf', 'self-node-remediation']));
    expect(names).not.toContain('ocs');
    expect(await get('supported-operators/odf')).toMatchObject({ status: 200, body: [] });
    expect(await get('supported-operators/toString')).toMatchObject({
      status: 404,
      body: { reason: expect.stringContaining('Operator "toString" is not supported.') as string },
    });
  });

  it('list the operators of a bundle, fewer for a single node', async () => {
    const { body } = await get('operators/bundles/virtualization');
    expect(body).toMatchObject({
      id: 'virtualization',
      operators: expect.arrayContaining(['cnv', 'node-healthcheck']),
    });
    const single = (await get('operators/bundles/virtualization?feature_ids=SNO')).body as { operators: string[] };
    expect(single.operators).toContain('cnv');
    expect(single.operators).not.toContain('node-healthcheck');
    const ai = (await get('operators/bundles/openshift-ai?feature_ids=SNO')).body as { operators: string[] };
    expect([ai.operators.includes('lvm'), ai.operators.includes('odf')]).toEqual([true, false]);
    expect(await get('operators/bundles/nonsense')).toMatchObject({
      status: 404,
      body: { reason: expect.stringContaining('Bundle "nonsense" does not exist.') as string },
    });
    expect((await get('operators/bundles?feature_ids=TNA')).status).toBe(400);
  });

  it('list the bundles that a version and platform support', async () => {
    const ids = async (query = '') =>
      ((await get(`operators/bundles${query}`)).body as { id: string }[]).map(({ id }) => id);
    expect(await ids()).toEqual(['virtualization', 'openshift-ai']);
    expect(await ids('?openshift_version=4.18&cpu_architecture=x86_64&platform_type=baremetal')).toEqual([
      'virtualization',
      'openshift-ai',
    ]);
    expect(await ids('?openshift_version=4.18&platform_type=vsphere')).toEqual(['openshift-ai']);
    expect(await ids('?openshift_version=4.18&cpu_architecture=s390x')).toEqual([]);
    expect(await ids('?openshift_version=4.11')).toEqual([]);
  });

  it('list the platforms that the hosts of a cluster support', async () => {
    const sizes = { cores: 8, memoryBytes: 2 ** 35, disks: [], nicsMbps: [], physicalNicCount: 0, vendor: 'Nutanix' };
    await gateway.project(1, [clusterDocument(), hostDocument({ _sizes: sizes })]);
    expect((await get(`clusters/${CLUSTER_ID}/supported-platforms`)).body).toEqual([
      'baremetal',
      'nutanix',
      'none',
      'external',
    ]);
    expect((await get(`clusters/${CLUSTER_ID.replace('5', '6')}/supported-platforms`)).status).toBe(404);
  });

  it('return preflight requirements of OpenShift and of every operator before hosts exist', async () => {
    await gateway.project(2, [clusterDocument({ openshift_version: '4.18.3', control_plane_count: 3 })]);
    const { body, status } = await get(`clusters/${CLUSTER_ID}/preflight-requirements`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ocp: {
        master: {
          quantitative: { cpu_cores: 4, ram_mib: 16384, disk_size_gb: 100, network_latency_threshold_ms: 100 },
        },
        worker: { quantitative: { cpu_cores: 2, ram_mib: 8192, disk_size_gb: 100, packet_loss_percentage: 10 } },
      },
      operators: expect.arrayContaining([
        expect.objectContaining({
          operator_name: 'odf',
          dependencies: ['lso'],
          requirements: {
            master: { quantitative: { cpu_cores: 6, ram_mib: 19456 }, qualitative: expect.any(Array) },
            worker: { quantitative: { cpu_cores: 8, ram_mib: 19456 }, qualitative: expect.any(Array) },
          },
        }),
      ]),
    });
    expect((body as { operators: unknown[] }).operators).toHaveLength(OPERATOR_NAMES.length);
    expect((await get(`clusters/${CLUSTER_ID.replace('5', '6')}/preflight-requirements`)).status).toBe(404);
  });
});
