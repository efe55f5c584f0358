import { randomUUID } from 'node:crypto';
import {
  type HostKey,
  hostKeyOf,
  hostSecretName,
  parseHostKey,
  RegistrationService,
  streamIdOf,
} from '@muster/contracts';
import { renderHostStatus } from '@muster/domain';
import { TestCluster } from '../cluster.fixture.spec';
import { asUser, RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;
const TOO_LATE = { refusal: { code: 'not-allowed-in-state' } };

describe('actions of users on hosts', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => (running = await RunningRegistration.start()));
  beforeEach(() => (cluster = new TestCluster(running)));
  afterAll(() => running.stop());

  const revise = (key: HostKey, changes: object, context = asUser()) =>
    running.ask(method.reviseHost, { ...parseHostKey(key), ...changes }, context);
  const inCluster = async (settings = {}) => {
    await cluster.register(settings);
    await cluster.registerInfraEnv();
    return cluster.knownHost();
  };

  it('set name, role, disk and settings together, and store nothing when repeated', async () => {
    const key = await inCluster();
    const choice = {
      hostName: 'master-0.example.com',
      hostRole: 'master',
      installationDiskId: '/dev/sdb',
      settings: { skipFormattingDisks: '/dev/sda', nodeLabels: '{"a":"b"}' },
    };
    const context = asUser();
    const first = await revise(key, choice, context);
    expect(await running.host(key)).toMatchObject({
      requestedHostname: 'master-0.example.com',
      role: 'master',
      installationDisk: { id: '/dev/disk/by-id/wwn-2', path: '/dev/sdb', isChosenByPerson: true },
      settings: { skipFormattingDisks: '/dev/sda' },
    });
    const before = await running.allEvents();
    expect(await revise(key, choice, context)).toEqual(first);
    await revise(key, choice);
    expect(await running.allEvents()).toEqual(before);
  });

  it.each([
    ['an unknown role', { hostRole: 'king' }, { code: 'invalid-input', subject: 'host_role' }],
    ['an invalid hostname', { hostName: 'no name' }, { code: 'invalid-input', subject: 'host_name' }],
    [
      'a label that Kubernetes refuses',
      { settings: { nodeLabels: '{"zone":"a","rack":"row 1"}' } },
      { code: 'invalid-input', subject: 'node_labels', reason: expect.stringContaining('"rack" with value "row 1"') },
    ],
    ['an installer argument', { settings: { installerArgs: '["--x"]' } }, { code: 'invalid-input', subject: 'args' }],
    [
      'a disk that does not exist',
      { installationDiskId: '/dev/sdz' },
      { code: 'not-allowed-in-state', allowed: ['/dev/disk/by-id/wwn-1', '/dev/disk/by-id/wwn-2'] },
    ],
    ['a disk that is too small', { installationDiskId: '/dev/sdc' }, { code: 'not-allowed-in-state' }],
  ])('refuse %s without any other change', async (_case, wrong, refusal) => {
    const key = await inCluster();
    const before = await running.allEvents();
    await expect(revise(key, { hostName: 'fine', hostRole: 'worker', ...wrong })).rejects.toMatchObject({ refusal });
    expect(await running.allEvents()).toEqual(before);
  });

  it('seal secrets of a host, of which events contain only flags', async () => {
    const key = await inCluster({ openshiftVersion: '4.20.3' });
    const { infraEnvId, hostId } = parseHostKey(key);
    const secrets = {
      ignitionEndpointToken: 'canary-token',
      ignitionEndpointHttpHeaders: '{"X-Rack":"canary-header"}',
      fencingCredentials: '{"address":"https://bmc","username":"root","password":"canary-password"}',
    };
    await revise(key, secrets);
    expect((await running.host(key)).settings).toMatchObject({
      ignitionEndpointTokenSet: true,
      ignitionEndpointHttpHeadersSet: true,
      fencingCredentialsSet: true,
    });
    expect(JSON.stringify(await running.allEvents())).not.toContain('canary');
    const sealed = await running.platform.secrets.open(infraEnvId, hostSecretName(hostId, 'fencing-credentials'));
    expect(sealed?.toString()).toBe(secrets.fencingCredentials);
    await revise(key, { ignitionEndpointToken: '', ignitionEndpointHttpHeaders: '' });
    expect((await running.host(key)).settings).toMatchObject({
      ignitionEndpointTokenSet: false,
      ignitionEndpointHttpHeadersSet: false,
      fencingCredentialsSet: true,
    });
  });

  it.each([
    ['ignition-endpoint-token', 'ignitionEndpointToken'],
    ['ignition-endpoint-http-headers', 'ignitionEndpointHttpHeaders'],
    ['fencing-credentials', 'fencingCredentials'],
  ] as const)('keep a newer %s of a host when an older request is repeated late', async (secret, field) => {
    const key = await inCluster({ openshiftVersion: '4.20.3' });
    const { infraEnvId, hostId } = parseHostKey(key);
    const value = async () =>
      (await running.platform.secrets.open(infraEnvId, hostSecretName(hostId, secret)))?.toString();
    const [first, second] = [asUser(), asUser()];
    await revise(key, { [field]: '{"a":"1"}' }, first);
    await revise(key, { [field]: '{"a":"2"}' }, second);
    await revise(key, { [field]: '{"a":"3"}' });
    await revise(key, { [field]: '{"a":"1"}' }, first);
    await revise(key, { [field]: '{"a":"2"}' }, second);
    expect(await value()).toBe('{"a":"3"}');
  });

  it('refuse an arbiter or fencing for a cluster that does not support them', async () => {
    const key = await inCluster({ openshiftVersion: '4.18.3' });
    await expect(revise(key, { hostRole: 'arbiter' })).rejects.toMatchObject({
      refusal: { code: 'invalid-input', subject: 'host_role' },
    });
    await expect(revise(key, { fencingCredentials: '{"password":"p"}' })).rejects.toMatchObject({
      refusal: { code: 'invalid-input', subject: 'fencing_credentials' },
    });
    const pool = new TestCluster(running);
    await pool.registerInfraEnv('');
    const free = await pool.knownHost();
    await revise(free, { hostRole: 'arbiter' });
    await expect(running.ask(method.bindHost, { ...parseHostKey(free), clusterId: cluster.id })).rejects.toMatchObject({
      refusal: { code: 'invalid-input', subject: 'cluster_id' },
    });
  });

  it('keep the sealed secrets when new ones are refused because of the status', async () => {
    const [key] = await cluster.installing();
    if (!key) throw new Error('there are three hosts');
    const { infraEnvId, hostId } = parseHostKey(key);
    await expect(revise(key, { ignitionEndpointToken: 'late' })).rejects.toMatchObject(TOO_LATE);
    const name = hostSecretName(hostId, 'ignition-endpoint-token');
    expect(await running.platform.secrets.open(infraEnvId, name)).toBeUndefined();
  });

  it('refuse changes of settings once the host is being installed', async () => {
    const [key] = await cluster.installing();
    if (!key) throw new Error('there are three hosts');
    await expect(revise(key, { hostRole: 'worker' })).rejects.toMatchObject(TOO_LATE);
  });

  it('bind a host and unbind it', async () => {
    await cluster.register();
    const pool = new TestCluster(running);
    await pool.registerInfraEnv('');
    const key = await pool.knownHost();
    const { hostId } = parseHostKey(key);
    const context = asUser();
    const bind = () => running.ask(method.bindHost, { ...parseHostKey(key), clusterId: cluster.id }, context);
    const first = await bind();
    expect(await bind()).toEqual(first);
    expect(await running.host(key)).toMatchObject({ status: 'binding', clusterId: cluster.id });
    expect(await pool.poll(key)).toMatchObject({ instructions: [], postStepAction: 'exit' });
    await pool.registerHost(hostId);
    expect(await running.host(key)).toMatchObject({ status: 'discovering', clusterId: cluster.id });
    await running.ask(method.unbindHost, parseHostKey(key));
    expect(await running.host(key)).toMatchObject({ status: 'unbinding', clusterId: '' });
    await pool.registerHost(hostId);
    expect(await running.host(key)).toMatchObject({ status: 'discovering-unbound', clusterId: '' });
  });

  it('reclaim an installed host, whose agent boots the discovery image without a user action', async () => {
    await cluster.register();
    const pool = new TestCluster(running);
    await pool.registerInfraEnv('');
    const key = await pool.knownHost();
    await running.ask(method.bindHost, { ...parseHostKey(key), clusterId: cluster.id });
    const { hostId } = parseHostKey(key);
    await pool.registerHost(hostId);
    const reclaim = () => running.ask(method.unbindHost, { ...parseHostKey(key), reclaim: true });
    const isInstalled = () =>
      running.append(streamIdOf('host', key), {
        type: 'HostEnteredStatus',
        data: { status: 'installed', from: 'discovering' },
      });
    await isInstalled();
    await reclaim();
    expect(await running.host(key)).toMatchObject({ status: 'reclaiming', clusterId: '' });
    expect(await pool.poll(key)).toMatchObject({
      instructions: [{ stepType: 'download-boot-artifacts', args: ['{"host_fs_mount_dir":"/host"}'] }],
      postStepAction: 'continue',
    });
    await pool.reply(key, 'download-boot-artifacts');
    expect((await running.host(key)).status).toBe('reclaiming-rebooting');
    expect(await pool.poll(key)).toMatchObject({
      instructions: [{ stepType: 'reboot-for-reclaim', args: ['{"host_fs_mount_dir":"/host"}'] }],
      postStepAction: 'exit',
    });
    await pool.registerHost(hostId);
    expect((await running.host(key)).status).toBe('discovering-unbound');
    await expect(reclaim()).rejects.toMatchObject({ refusal: { code: 'not-allowed-in-state' } });

    await isInstalled();
    await reclaim();
    const error =
      'http://192.0.2.1/boot-artifacts/kernel could not be downloaded: The host has no route to the server.';
    await pool.reply(key, 'download-boot-artifacts', { exitCode: 1, error });
    const { status, statusReason } = await running.host(key);
    expect(status).toBe('unbinding-pending-user-action');
    expect(renderHostStatus(statusReason, () => undefined)).toContain(
      `(${error}). Boot the discovery image at the machine`,
    );
  });

  it('refuse to bind a host to a cluster that is unknown, being installed or of another architecture', async () => {
    const pool = new TestCluster(running);
    await pool.registerInfraEnv('');
    const key = await pool.knownHost();
    const bind = (clusterId: string) => running.ask(method.bindHost, { ...parseHostKey(key), clusterId });
    await expect(bind(randomUUID())).rejects.toMatchObject({ refusal: { code: 'invalid-input' } });
    await cluster.installing();
    await expect(bind(cluster.id)).rejects.toMatchObject({ refusal: { code: 'cluster-does-not-accept-hosts' } });
    const arm = new TestCluster(running);
    await arm.register({ cpuArchitecture: 'arm64' });
    await expect(bind(arm.id)).rejects.toMatchObject({ refusal: { code: 'invalid-input', allowed: ['arm64'] } });
    expect((await running.host(key)).status).toBe('known-unbound');
  });

  it('refuse to unbind a host of an infra-env that belongs to the cluster', async () => {
    const key = await inCluster();
    await expect(running.ask(method.unbindHost, parseHostKey(key))).rejects.toMatchObject({
      refusal: { code: 'not-allowed-in-state', subject: 'infra_env_id' },
    });
  });

  it('deregister a host, which may register again as a new one', async () => {
    const key = await inCluster();
    const context = asUser();
    const forget = () => running.ask(method.deregisterHost, parseHostKey(key), context);
    expect(await forget()).toEqual(await forget());
    expect((await running.host(key)).status).toBe('unregistered');
    await expect(cluster.poll(key)).rejects.toMatchObject({ refusal: { code: 'not-found' } });
    await cluster.registerHost(parseHostKey(key).hostId);
    expect(await running.host(key)).toMatchObject({ status: 'discovering', generation: 2 });
  });

  it('install or reset single hosts on day 2 only', async () => {
    const key = await inCluster();
    for (const name of ['installHost', 'resetHost'] as const)
      await expect(running.ask(method[name], parseHostKey(key))).rejects.toMatchObject({
        refusal: { code: 'not-allowed-in-state', subject: 'kind' },
      });
  });

  it('record logs of a host', async () => {
    const key = await inCluster();
    const context = asUser();
    const body = { digest: `sha256:${'0'.repeat(64)}`, bytes: 1 };
    const record = () =>
      running.ask(method.recordHostLogs, { ...parseHostKey(key), logsState: 'completed', body }, context);
    expect(await record()).toEqual(await record());
    expect((await running.host(key)).logs).toMatchObject({
      state: 'completed',
      collectedAt: expect.stringMatching(/^20/),
    });
  });

  it('are refused for a host that does not exist', async () => {
    await cluster.registerInfraEnv('');
    const key = hostKeyOf(cluster.infraEnvId, randomUUID());
    for (const name of [
      'nextSteps',
      'replyToStep',
      'reportHostProgress',
      'recordHostLogs',
      'reviseHost',
      'unbindHost',
      'resetHost',
      'installHost',
      'deregisterHost',
    ] as const)
      await expect(running.ask(method[name], parseHostKey(key))).rejects.toMatchObject({
        refusal: { code: 'not-found' },
      });
    expect(await running.events(streamIdOf('host', key))).toEqual([]);
  });

  it('get the same reply for repeated progress, and a reason for refused progress', async () => {
    const [key] = await cluster.installing();
    if (!key) throw new Error('there are three hosts');
    const context = asUser();
    const report = (stage: string, given = asUser()) =>
      running.ask(method.reportHostProgress, { ...parseHostKey(key), stage, progressInfo: '' }, given);
    const first = await report('Installing', context);
    expect(await report('Installing', context)).toEqual(first);
    await expect(report('Starting installation')).rejects.toMatchObject({ refusal: { code: 'not-allowed-in-state' } });
    await expect(report('Dancing')).rejects.toMatchObject({ refusal: { code: 'invalid-input' } });
  });
});
