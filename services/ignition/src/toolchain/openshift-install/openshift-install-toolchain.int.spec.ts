import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type IgnitionConfig, readTextFile } from '@muster/ignition-config';
import { type ImageRegistry, ImageRegistryError } from '@muster/ports';
import { eventually, INSTALLER_UID, type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { parse } from 'yaml';
import { IGNORED_REPORT, keptInMemory, sampleHost, sampleInstallRequest } from '../sample-install-request.fixture.spec';
import { ArtifactsRefused, type InstallRequest, type MadeInstallation } from '../toolchain.port';
import { InstallerBinaries, type OpenRegistries, type OpenshiftInstallSettings } from './installer-binaries';
import { openshiftInstallToolchain } from './openshift-install-toolchain';

const FAKE = join(__dirname, 'fake-installer.fixture.sh');
let directory: TemporaryDirectory;
let tools: string;
beforeEach(() => {
  directory = temporaryDirectory();
  tools = join(directory.path, 'tools');
  mkdirSync(tools);
  // As root, the installer runs as another user: it enters the directory, and the fake writes a record beside itself.
  chmodSync(directory.path, 0o755);
  chmodSync(tools, 0o777);
});
afterEach(() => directory.remove());

const program = (name: string, text: string): string => {
  const path = join(tools, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
};
const installer = (): string => program('openshift-install', readFileSync(FAKE, 'utf8'));
const settingsOf = (changes: Partial<OpenshiftInstallSettings> = {}): OpenshiftInstallSettings => ({
  installerPath: installer(),
  releases: [],
  registries: { settings: undefined, mirrors: [], permittedMirrors: 'any' },
  workDirectory: join(directory.path, 'work'),
  certificatesDirectory: undefined,
  timeoutMs: 30_000,
  installerUserId: INSTALLER_UID,
  installerMemoryBytes: 8 * 1024 ** 3,
  proxyEnvironment: {},
  ...changes,
});
const toolchain = (changes: Partial<OpenshiftInstallSettings> = {}) => openshiftInstallToolchain(settingsOf(changes));
const makeWith = (changes: Partial<OpenshiftInstallSettings>) =>
  toolchain(changes).make(sampleInstallRequest(), keptInMemory(), IGNORED_REPORT);
const make = (order = sampleInstallRequest(), keep = keptInMemory()) => toolchain().make(order, keep, IGNORED_REPORT);
const record = (): readonly string[] => readFileSync(join(tools, 'record'), 'utf8').trim().split('\n');
const textOf = ({ artifacts }: MadeInstallation, name: string) =>
  artifacts.find((artifact) => artifact.name === name)?.content.toString() ?? `no ${name}`;
const bootstrapOf = (made: MadeInstallation) => JSON.parse(textOf(made, 'bootstrap.ign')) as IgnitionConfig;
const fileOf = (made: MadeInstallation, path: string) => readTextFile(bootstrapOf(made), `/opt/openshift/${path}`);

describe('the openshift-install toolchain', () => {
  it('calls the installer with its arguments and without other environment variables', async () => {
    process.env.SECRET_OF_SERVICE = 'not for installers';
    const folder = join(directory.path, 'work', 'install-config-generate', sampleInstallRequest().clusterId);
    await makeWith({ certificatesDirectory: directory.path + '/tools' });
    delete process.env.SECRET_OF_SERVICE;
    const environment = [
      `HOME=${folder}`,
      'OPENSHIFT_INSTALL_BOOTSTRAP_NODE_IP=192.0.2.10',
      'OPENSHIFT_INSTALL_INVOKER=assisted-installer',
      'OPENSHIFT_INSTALL_LOAD_CLUSTER_CERTS=true',
      'OPENSHIFT_INSTALL_RELEASE_IMAGE_OVERRIDE=quay.io/openshift-release-dev/ocp-release:4.18.3-x86_64',
    ];
    expect(record()).toEqual([
      `args: create manifests --dir ${folder}`,
      `cwd: ${folder}`,
      ...environment,
      `args: create ignition-configs --dir ${folder}`,
      `cwd: ${folder}`,
      ...environment,
    ]);
    expect(JSON.parse(readFileSync(join(tools, 'install-config.yaml'), 'utf8'))).toMatchObject({
      metadata: { name: 'demo' },
    });
    expect(existsSync(folder)).toBe(false);
  });

  it('collects the output and adds the files that hosts need', async () => {
    const made = await make();
    expect(made.artifacts.map(({ name }) => name)).toEqual([
      'kubeconfig-noingress',
      'kubeadmin-password',
      'bootstrap.ign',
      'install-config.yaml',
      'metadata.json',
      'master.ign',
      'worker.ign',
      ...sampleInstallRequest().hosts.map(({ role, hostId }) => `${role}-${hostId}.ign`),
    ]);
    expect(made.openshiftClusterId).toBe('5c0ffee0-0000-4000-8000-000000000000');
    expect(textOf(made, 'kubeadmin-password')).toBe('pass-word');
    const host = JSON.parse(textOf(made, `worker-${sampleHost(3).hostId}.ign`)) as IgnitionConfig;
    expect(readTextFile(host, '/etc/hostname')).toBe('worker-3');
    expect(host.ignition.config?.merge?.[0]?.source).toBe('https://api-int.demo.example.com:22623/config/worker');
  });

  it('completes the bootstrap config', async () => {
    const made = await make();
    const paths = bootstrapOf(made).storage?.files?.map(({ path }) => path) ?? [];
    expect(paths.filter((path) => path.endsWith('.nmconnection'))).toEqual([]);
    expect(paths.filter((path) => path === '/etc/motd')).toHaveLength(1);
    expect(paths).toEqual(
      expect.arrayContaining(['/opt/openshift/assisted-install-bootstrap', '/etc/NetworkManager/conf.d/99-kni.conf']),
    );
    expect(parse(fileOf(made, 'openshift/99_openshift-cluster-api_hosts-3.yaml') ?? '')).toMatchObject({
      spec: { online: true, externallyProvisioned: true },
      metadata: {
        annotations: { 'baremetalhost.metal3.io/status': expect.stringContaining('"poweredOn":true') as string },
      },
    });
  });

  it('adds manifests and patches to those of the installer', async () => {
    const manifests: InstallRequest['manifests'] = [
      { folder: 'openshift', fileName: 'two.yaml', content: 'a: 1\n---\nb: 2\n' },
      {
        folder: 'openshift',
        fileName: 'cluster-scheduler-02-config.yml.patch_x',
        content: '- {op: replace, path: /spec/mastersSchedulable, value: true}',
      },
    ];
    const made = await make(sampleInstallRequest({ manifests }));
    expect(parse(fileOf(made, 'manifests/cluster-scheduler-02-config.yml') ?? '')).toEqual({
      spec: { mastersSchedulable: true },
    });
    const names = bootstrapOf(made).storage?.files?.map(({ path }) => path) ?? [];
    expect(names.filter((path) => /two-[0-9a-f]{7}-0[01]\.yaml$/.test(path))).toHaveLength(2);
    expect(names.filter((path) => path.includes('.patch'))).toEqual([]);
    // With its one worker.
    expect(fileOf(made, 'manifests/cluster-infrastructure-02-config.yml')).toContain('HighlyAvailable');
    const two = await make(sampleInstallRequest({}, 5));
    expect(fileOf(two, 'manifests/cluster-infrastructure-02-config.yml')).toContain('SingleReplica');
  });

  it.each([
    ['vsphere', false],
    ['baremetal', true],
  ])('keeps machines of platform %s in the manifests: %s', async (platformType, isKept) => {
    const order = sampleInstallRequest({ settings: { platformType } });
    const made = await make(order);
    expect(fileOf(made, 'openshift/99_openshift-cluster-api_master-machines-0.yaml') !== undefined).toBe(isKept);
  });

  it('creates the config of a single node that installs in place', async () => {
    const settings = { controlPlaneCount: 1, platformType: 'none', userManagedNetworking: true };
    const made = await make(sampleInstallRequest({ settings }, 1));
    expect(record().find((line) => line.includes('single-node'))).toMatch(
      /^args: create single-node-ignition-config --dir /,
    );
    expect(JSON.parse(textOf(made, 'master.ign'))).toEqual({ ignition: { version: '3.2.0' } });
    expect(readTextFile(bootstrapOf(made), '/opt/openshift/assisted-install-bootstrap')).toBeUndefined();
  });

  it('runs the installer once and creates the same artifacts again from its output', async () => {
    const keep = keptInMemory();
    const first = await make(sampleInstallRequest(), keep);
    const calls = record().length;
    expect(await make(sampleInstallRequest(), keep)).toEqual(first);
    expect(record()).toHaveLength(calls);
  });

  it('reports at most the last 512 characters of the output', async () => {
    writeFileSync(join(tools, 'fail'), '');
    const failure = await make().catch((error: unknown) => error as Error);
    const message = failure instanceof Error ? failure.message : '';
    const intro = 'openshift-install create manifests failed: it ended with code 3: ';
    expect(message.slice(0, intro.length)).toBe(intro);
    expect(message).toHaveLength(intro.length + 512);
    expect(message).toMatch(/failed to fetch manifests: no such platform$/);
    expect(readdirSync(join(directory.path, 'work', 'install-config-generate'))).toEqual([]);
  });

  it('ends an installer that exceeds the time limit', async () => {
    const hanging = program('hanging', '#!/bin/sh\nsleep 600 &\nwait\n');
    const late = makeWith({ installerPath: hanging, timeoutMs: 200 });
    await expect(late).rejects.toThrow(/did not end within 0\.2 seconds/);
  });
});

const isRoot = process.getuid?.() === 0;
const itAsRoot = isRoot ? it : it.skip;

describe('the confinement of the installer', () => {
  const run = (script: string, changes: Partial<OpenshiftInstallSettings> = {}) =>
    makeWith({ installerPath: program('own', `#!/bin/sh\n${script}\n`), ...changes });

  itAsRoot('runs it as another user, without access to the files of the service (needs root)', async () => {
    const secret = join(directory.path, 'master.key');
    writeFileSync(secret, 'canary-master-key', { mode: 0o600 });
    await expect(run(`id -u >&2; cat ${secret} >&2; exit 1`)).rejects.toThrow(
      RegExp(`${INSTALLER_UID}[^]*Permission denied`),
    );
    await expect(run(`cat ${secret} >&2; exit 1`)).rejects.not.toThrow(/canary-master-key/);
  });

  itAsRoot('ends the processes that it leaves behind (needs root)', async () => {
    const mark = join(tools, 'pid');
    // The second call must not start another process: it could end before its id is written.
    const leave = `[ -s ${mark} ] && exit\nsetsid sh -c 'echo $$ >${mark}; sleep 600' >/dev/null 2>&1 &`;
    await run(`${leave}\nwhile [ ! -s ${mark} ]; do :; done`).catch(() => undefined);
    const place = `/proc/${readFileSync(mark, 'utf8').trim()}/cmdline`;
    // A killed process ends when it gets the processor. Then it has no command line, also before its parent collects it.
    await eventually('the process has ended', async () => (await readFile(place, 'utf8').catch(() => '')) === '');
  });

  it('does not follow symbolic links in the output', async () => {
    const secret = join(directory.path, 'master.key');
    writeFileSync(secret, 'canary-master-key', { mode: 0o600 });
    await expect(run(`mkdir -p auth manifests && ln -s ${secret} auth/kubeconfig`)).rejects.toThrow(
      /neither a file nor a folder/,
    );
  });

  it.each([
    ['output', 'yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', /bytes of output/],
    ['processes that never end', 'sleep 600', /did not end within/],
    ['files', 'head -c 300000000 /dev/zero >big && exit 3; exit 4', /ended (by SIGXFSZ|with code 4)/],
    ['memory', `exec ${process.execPath} -e 'const all = []; for (;;) all.push(Buffer.alloc(1 << 26, 1));'`, /ended/],
  ])(
    'limits %s',
    async (_, script, reason) => {
      const timeoutMs = script === 'sleep 600' ? 1_000 : 120_000;
      await expect(run(script, { timeoutMs, installerMemoryBytes: 2 * 1024 ** 3 })).rejects.toThrow(reason);
    },
    150_000,
  );
});

describe('installers of releases', () => {
  const asked: string[] = [];
  const pullSecrets: string[] = [];
  beforeEach(() => {
    asked.splice(0);
    pullSecrets.splice(0);
  });
  /** A registry with the release image and its installer images. */
  const registry: ImageRegistry = {
    manifest: () => Promise.reject(new Error('not used')),
    architectures: () => Promise.reject(new Error('not used')),
    extractFile: (image, _, path) => {
      asked.push(`${image} ${path}`);
      if (image === 'quay.io/gone')
        return Promise.reject(
          new ImageRegistryError(image, 'quay.io', 'unauthorized: authentication required', 'credentials', 401),
        );
      if (path === 'usr/bin/openshift-install') return Promise.resolve({ path: installer(), wasCached: false });
      const tag = (name: string) => ({ name, from: { name: `quay.io/${name}@sha256:1` } });
      const references = { kind: 'ImageStream', spec: { tags: [tag('installer'), tag('baremetal-installer')] } };
      writeFileSync(join(directory.path, 'image-references'), JSON.stringify(references));
      return Promise.resolve({ path: join(directory.path, 'image-references'), wasCached: false });
    },
  };
  const reading = () => {
    const settings = settingsOf({ installerPath: undefined });
    const open: OpenRegistries = ({ pullSecret }) => {
      pullSecrets.push(pullSecret);
      return Promise.resolve(registry);
    };
    return openshiftInstallToolchain(settings, new InstallerBinaries(settings, open));
  };
  const order = (changes: InstallRequest['settings'] = {}): InstallRequest => {
    const sample = sampleInstallRequest();
    return { ...sample, settings: { ...sample.settings, ...changes } };
  };

  it.each([
    ['4.18.3', false, 'installer'],
    ['4.16.0', false, 'installer'],
    ['4.15.40', false, 'baremetal-installer'],
    ['4.18.3', true, 'baremetal-installer'],
  ])('of version %s with FIPS %s are read from the image %s', async (openshiftVersion, isFips, image) => {
    const installConfigOverrides = { omitsConsole: false, isFips };
    await reading().make(order({ openshiftVersion, installConfigOverrides }), keptInMemory(), IGNORED_REPORT);
    expect(asked).toEqual([
      'quay.io/openshift-release-dev/ocp-release:4.18.3-x86_64 release-manifests/image-references',
      `quay.io/${image}@sha256:1 usr/bin/openshift-install`,
      'quay.io/openshift-release-dev/ocp-release:4.18.3-x86_64 release-manifests/0000_50_installer_coreos-bootimages.yaml',
    ]);
    expect(pullSecrets).toEqual([sampleInstallRequest().pullSecret]);
    expect(record()[0]).toMatch(/^args: create manifests/);
  });

  it('that cannot be read are reported with image, registry, reason and remedy', async () => {
    const failure = reading().make(order({ ocpReleaseImage: 'quay.io/gone' }), keptInMemory(), IGNORED_REPORT);
    await expect(failure).rejects.toThrow(
      /The image quay\.io\/gone cannot be read from quay\.io: unauthorized: authentication required\. Add credentials for quay\.io to the pull secret of the cluster, and start the installation again/,
    );
    await expect(failure).rejects.toThrow(ArtifactsRefused);
  });

  it('are not read with an invalid pull secret', async () => {
    const { make } = openshiftInstallToolchain(settingsOf({ installerPath: undefined }));
    const failure = make({ ...order(), pullSecret: '{' }, keptInMemory(), IGNORED_REPORT);
    await expect(failure).rejects.toThrow(/The pull secret is not JSON/);
  });
});
