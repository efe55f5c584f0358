import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { fromDataUrl, type IgnitionConfig, type ManifestFile, readTextFile } from '@muster/ignition-config';
import { DocumentWorkers } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { compare } from 'bcryptjs';
import { parse } from 'yaml';
import { builtinToolchain } from './builtin-toolchain';
import { keptInMemory, sampleHost, sampleInstallRequest } from './sample-install-request.fixture.spec';
import { ArtifactsRefused, type InstallRequest, type MadeInstallation } from './toolchain.port';

const isInstalled = spawnSync('ignition-validate', ['--version']).error === undefined;
const missing = isInstalled ? '' : ' (skipped: the Debian package ignition is not installed)';
const whenPresent = isInstalled ? describe : describe.skip;

/** Shared between tests, because creating keys takes the longest. */
const shared = keptInMemory();
const make = (order: InstallRequest, keep = shared): Promise<MadeInstallation> => builtinToolchain().make(order, keep);
const textOf = ({ artifacts }: MadeInstallation, name: string): string =>
  artifacts.find((artifact) => artifact.name === name)?.content.toString() ?? `no ${name}`;
const configOf = (made: MadeInstallation, name: string) => JSON.parse(textOf(made, name)) as IgnitionConfig;
const fileOf = (made: MadeInstallation, path: string): string =>
  readTextFile(configOf(made, 'bootstrap.ign'), `/opt/openshift/${path}`) ?? `no ${path}`;
const objectOf = (made: MadeInstallation, path: string) => parse(fileOf(made, path)) as { [member: string]: unknown };
const pathsOf = (made: MadeInstallation): readonly string[] =>
  (configOf(made, 'bootstrap.ign').storage?.files ?? []).map(({ path }) => path);
const settings = (changes: InstallRequest['settings']) => sampleInstallRequest({ settings: changes });
const single = (): InstallRequest => ({
  ...sampleInstallRequest({ settings: { controlPlaneCount: 1, platformType: 'none', userManagedNetworking: true } }, 1),
  hosts: [sampleHost(0, { nodeIpHint: '192.0.2.0' })],
});
const added = (fileName: string, content: string, folder: ManifestFile['folder'] = 'openshift'): ManifestFile => ({
  folder,
  fileName,
  content,
});

describe('the artifacts of the built-in toolchain', () => {
  it.each([
    ['three nodes', sampleInstallRequest()],
    ['one node', single()],
  ])('differ between clusters when %s is not sealed', async (_, order) => {
    const open = ({ artifacts }: MadeInstallation) =>
      artifacts.filter(({ isSecret }) => !isSecret).map(({ content }) => content.toString());
    const first = open(await make(order));
    const other = open(await make({ ...order, clusterId: 'another' }, keptInMemory()));
    expect(first.filter((text) => other.includes(text))).toEqual([]);
    expect(new Set(first).size).toBe(first.length);
  });

  it('are refused when an override removes what the manifests contain', async () => {
    const refused = make(sampleInstallRequest({ installConfigOverrides: '{"compute":null}' }));
    await expect(refused).rejects.toThrow(ArtifactsRefused);
    await expect(refused).rejects.toThrow(/install-config\.compute is required\. Correct install_config_overrides/);
  });

  it('are the same for the same kept secrets, and have other keys without them', async () => {
    const keep = keptInMemory();
    const [first, again, other] = [
      await make(sampleInstallRequest(), keep),
      await make(sampleInstallRequest(), keep),
      await make(sampleInstallRequest()),
    ];
    expect(again).toEqual(first);
    expect(textOf(other, 'kubeconfig-noingress')).not.toBe(textOf(first, 'kubeconfig-noingress'));
    expect([...keep.kept.keys()]).toEqual(builtinToolchain().keptSecrets);
  });

  it('have certificates, credentials and manifests at the paths that the bootstrap reads', async () => {
    const made = await make(sampleInstallRequest());
    const paths = pathsOf(made);
    expect(paths).toEqual(expect.arrayContaining(BOOTSTRAP_FILES.map((path) => `/opt/openshift/${path}`)));
    expect(new Set(paths).size).toBe(paths.length);
    expect(objectOf(made, 'manifests/cvo-overrides.yaml')).toMatchObject({
      spec: { clusterID: made.openshiftClusterId },
    });
  });

  it('contain the hash of the kubeadmin password that users download', async () => {
    const made = await make(sampleInstallRequest());
    const { stringData } = objectOf(made, 'openshift/99_kubeadmin-password-secret.yaml');
    const { kubeadmin } = stringData as { kubeadmin: string };
    expect(await compare(textOf(made, 'kubeadmin-password'), kubeadmin)).toBe(true);
  });

  it('make nodes trust the server of their pointer config, and contain no secret of the install-config', async () => {
    const made = await make(sampleInstallRequest());
    const { ignition } = configOf(made, 'worker.ign');
    const ca = new X509Certificate(
      fromDataUrl(ignition.security?.tls?.certificateAuthorities?.[0]?.source ?? '') ?? '',
    );
    const server = new X509Certificate(fileOf(made, 'tls/machine-config-server.crt'));
    expect(server.checkIssued(ca) && server.verify(ca.publicKey)).toBe(true);
    expect(server.checkHost(new URL(ignition.config?.merge?.[0]?.source ?? '').hostname)).toBe(
      'api-int.demo.example.com',
    );
    expect(fileOf(made, 'manifests/cluster-config.yaml')).not.toContain('canary-pull-secret');
  });

  it('list the bare-metal hosts with their hardware, control plane hosts first', async () => {
    const made = await make(sampleInstallRequest());
    const worker = objectOf(made, 'openshift/99_openshift-cluster-api_hosts-3.yaml');
    expect(worker).toMatchObject({
      metadata: { name: 'worker-3' },
      spec: { externallyProvisioned: true, bootMACAddress: '02:00:00:00:00:03', bootMode: 'UEFI' },
    });
    const { annotations } = worker['metadata'] as { annotations: { [name: string]: string } };
    expect(JSON.parse(annotations['baremetalhost.metal3.io/status'] ?? '')).toMatchObject({
      poweredOn: true,
      hardware: { cpu: { count: 8 }, ramMebibytes: 16_384, systemVendor: { serialNumber: 'S3' } },
    });
    expect(pathsOf(await make(single())).filter((path) => path.includes('api_hosts'))).toEqual([]);
  });

  it.each([
    [single(), 'SingleReplica', 'SingleReplica'],
    [sampleInstallRequest(), 'HighlyAvailable', 'HighlyAvailable'],
    [
      {
        ...sampleInstallRequest(),
        hosts: [0, 1, 2].map((index) => sampleHost(index, index === 2 ? { role: 'arbiter', pool: 'arbiter' } : {})),
      },
      'HighlyAvailableArbiter',
      'HighlyAvailable',
    ],
  ])(
    '%#: contain the counts of control plane hosts and workers',
    async (order, controlPlaneTopology, infrastructureTopology) => {
      const made = await make(order);
      expect(objectOf(made, 'manifests/cluster-infrastructure-02-config.yml')).toMatchObject({
        status: { controlPlaneTopology, infrastructureTopology },
      });
    },
  );

  it('include the manifests and patches of users and operators', async () => {
    const patch = '- {op: replace, path: /spec/mastersSchedulable, value: true}';
    const name = 'cluster-scheduler-02-config.yml';
    const made = await make(
      sampleInstallRequest({ manifests: [added('a.yaml', 'a: 1'), added(`${name}.patch_x`, patch)] }),
    );
    expect(objectOf(made, `manifests/${name}`)).toMatchObject({ spec: { mastersSchedulable: true } });
    expect(fileOf(made, 'openshift/a.yaml')).toBe('a: 1');
    await expect(make(sampleInstallRequest({ manifests: [added('none.yaml.patch', '[]')] }))).rejects.toThrow(
      /which does not exist/,
    );
  });

  it('contain a config for every host', async () => {
    const hosts = [
      sampleHost(0, { nodeIpHint: '192.0.2.0', hasIpv6: true }),
      sampleHost(1, { isPersistentBoot: true }),
      sampleHost(3, {
        pool: 'infra',
        ignitionOverride: '{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/etc/x"}]}}',
      }),
    ];
    const manifests = [added('p.yaml', 'kind: MachineConfigPool\nmetadata: {name: infra}')];
    const made = await make(sampleInstallRequest({ hosts, manifests, serviceCaPem: 'CA' }));
    const [first, second, third] = hosts.map(({ role, hostId }) => configOf(made, `${role}-${hostId}.ign`));
    const paths = (config: IgnitionConfig | undefined) => config?.storage?.files?.map(({ path }) => path).sort();
    const every = [
      '/etc/NetworkManager/conf.d/01-ipv6.conf',
      '/etc/assisted-service/service-ca-cert.crt',
      '/etc/hostname',
    ];
    expect(paths(first)).toEqual([every[0], every[1], '/etc/default/nodeip-configuration', every[2]]);
    expect(paths(second)).toContain('/usr/local/bin/cleanup-assisted-discovery-stateroot.sh');
    expect(paths(third)).toContain('/etc/x');
    expect(third?.ignition.config?.merge?.[0]?.source).toBe('https://api-int.demo.example.com:22623/config/infra');
    expect(made.artifacts.filter(({ isSecret }) => !isSecret).map(({ name }) => name)).not.toContain(
      `worker-${hosts[2]?.hostId}.ign`,
    );
  });

  it('gives control plane nodes the leases of VIPs that DHCP allocated', async () => {
    const lease = 'lease {\n  fixed-address 192.0.2.100;\n}\n';
    const order = sampleInstallRequest({ vipLeases: { api: lease, ingress: '' } });
    const made = await make({ ...order, settings: { ...order.settings, vipDhcpAllocation: true } });
    const fileIn = (name: string, path: string) => readTextFile(configOf(made, name), `/etc/keepalived/${path}`);
    expect(parse(fileIn('master.ign', 'unsupported-monitor.conf') ?? '')).toEqual({
      'api-vip': {
        name: 'api',
        'mac-address': expect.stringMatching(/^00:1a:4a(:[0-9a-f]{2}){3}$/),
        'ip-address': '192.0.2.100',
      },
      'ingress-vip': {
        name: 'ingress',
        'mac-address': expect.stringMatching(/^00:1a:4a(:[0-9a-f]{2}){3}$/),
        'ip-address': '192.0.2.101',
      },
    });
    expect(fileIn('master.ign', 'lease-api')).toBe(lease);
    expect(fileIn('master.ign', 'lease-ingress')).toBeUndefined();
    const [host] = order.hosts;
    expect(fileIn(`master-${host?.hostId}.ign`, 'lease-api')).toBe(lease);
    expect(fileIn('worker.ign', 'unsupported-monitor.conf')).toBeUndefined();
  });

  it('parses long manifests in a worker', async () => {
    const documents = DocumentWorkers.create();
    const parsed = jest.spyOn(documents, 'runAlone');
    const long = '# comment\n'.repeat(2_000);
    const manifests = [
      added('p.yaml', `${long}kind: MachineConfigPool\nmetadata: {name: infra}\n---\n- no pool\n`),
      added('broken.yaml', 'MachineConfigPool: ['),
      added('c.yaml', `${long}kind: ConfigMap`),
      added('c.yaml.patch', '- {op: add, path: /data, value: {a: b}}'),
    ];
    const hosts = [sampleHost(0), sampleHost(3, { pool: 'infra' })];
    const made = await builtinToolchain(documents).make({ ...sampleInstallRequest({ manifests }), hosts }, shared);
    expect(objectOf(made, 'openshift/c.yaml')).toEqual({ kind: 'ConfigMap', data: { a: 'b' } });
    expect(textOf(made, `worker-${sampleHost(3).hostId}.ign`)).toContain('config/infra');
    expect(parsed.mock.calls.map(([{ name }]) => name)).toEqual(['placeManifests', 'poolNamesIn']);

    const refusal = { code: 'invalid-input', reason: 'manifests cannot be read within 8 seconds.' } as const;
    parsed.mockRejectedValue(new RefusalError(refusal));
    const refused = builtinToolchain(documents).make({ ...sampleInstallRequest({ manifests }), hosts }, shared);
    await expect(refused).rejects.toThrow(new ArtifactsRefused(refusal.reason));
  });

  it('refuses a pool that no manifest brings', async () => {
    const hosts = [sampleHost(0), sampleHost(3, { pool: 'infra' })];
    await expect(make(sampleInstallRequest({ hosts }))).rejects.toThrow(
      /worker-3 belongs to the machine-config pool infra/,
    );
  });

  it('require no download on single nodes', async () => {
    const made = await make(single());
    expect(configOf(made, 'master.ign')).toEqual({ ignition: { version: '3.2.0' } });
    const [host] = single().hosts;
    const config = configOf(made, `master-${host?.hostId}.ign`);
    expect(config.ignition.config).toBeUndefined();
    expect(readTextFile(config, '/etc/default/nodeip-configuration')).toBe('KUBELET_NODEIP_HINT=192.0.2.0\n');
  });
});

const BOOTSTRAP_FILES = [
  'tls/root-ca.crt',
  'tls/kube-apiserver-complete-client-ca-bundle.crt',
  'tls/machine-config-server.key',
  'tls/service-account.pub',
  'tls/bound-service-account-signing-key.key',
  'auth/kubeconfig',
  'auth/kubeconfig-kubelet',
  'auth/kubeconfig-loopback',
  'manifests/cluster-config.yaml',
  'manifests/cluster-infrastructure-02-config.yml',
  'manifests/cluster-network-02-config.yml',
  'manifests/openshift-config-secret-pull-secret.yaml',
  'openshift/99_openshift-cluster-api_master-user-data-secret.yaml',
  'openshift/99_openshift-machineconfig_99-worker-ssh.yaml',
  'openshift/openshift-install-manifests.yaml',
  'assisted-install-bootstrap',
];

whenPresent(`Ignition's own validator${missing}`, () => {
  it.each([
    ['three nodes and a worker', sampleInstallRequest({ serviceCaPem: 'CA', additionalTrustBundle: '' })],
    ['a single node', single()],
    ['OKD', settings({ openshiftVersion: '4.18.0-okd-scos.3' })],
    ['a platform of its own', settings({ platformType: 'none', userManagedNetworking: true })],
  ])('accepts the configs of %s', async (_, order) => {
    const made = await make(order);
    const configs = made.artifacts.filter(({ name }) => name.endsWith('.ign'));
    expect(configs.length).toBeGreaterThan(3);
    for (const { name, content } of configs) {
      const { status, stderr } = spawnSync('ignition-validate', ['-'], { input: content, encoding: 'utf8' });
      expect({ name, status, stderr }).toEqual({ name, status: 0, stderr: '' });
    }
  });
});
