import { type HostKey, parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import { eventually } from '@muster/testing';
import { AGENT, READY, TestCluster } from '../cluster.fixture.spec';
import { asUser, RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;

describe('polls and replies of agents', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());
  beforeEach(() => {
    cluster = new TestCluster(running);
    running.inventoryRefuses(undefined);
    running.reports.length = 0;
  });

  const registeredUnbound = async () => {
    await cluster.registerInfraEnv('', { additionalNtpSources: 'ntp.example.com' });
    return cluster.registerHost();
  };

  it('give each step an id of its own', async () => {
    const { instructions } = await cluster.poll(await registeredUnbound());
    expect(instructions).toEqual([
      { stepType: 'inventory', stepId: expect.stringMatching(/^inventory-[0-9a-f]{8}$/), args: expect.any(Array) },
      {
        stepType: 'ntp-synchronizer',
        stepId: expect.stringMatching(/^ntp-synchronizer-[0-9a-f]{8}$/),
        args: ['{"ntp_source":"ntp.example.com"}'],
      },
    ]);
  });

  describe('about VIPs that DHCP allocates', () => {
    const lease = (address: string): string =>
      `lease {\n  interface "api";\n  fixed-address ${address};\n  expire 3 2026/11/25 10:00:00;\n}\n`;
    const output = (api: string): string =>
      JSON.stringify({
        api_vip_address: api,
        ingress_vip_address: '192.0.2.201',
        api_vip_lease: lease(api),
        ingress_vip_lease: lease('192.0.2.201'),
      });
    const reply = (key: HostKey, text: string) =>
      running.ask(method.replyToStep, {
        ...parseHostKey(key),
        stepType: 'dhcp-lease-allocate',
        stepId: 's',
        output: text,
        exitCode: 0,
        error: '',
      });
    const derived = async () =>
      (await running.events(streamIdOf('cluster', cluster.id))).filter(({ type }) => type === 'VipsDerived');

    it('send the step, and set the VIPs to its result once', async () => {
      const [first, second] = await cluster.ready(3, {
        openshiftVersion: '4.14.71',
        networkType: 'OpenShiftSDN',
        vipDhcpAllocation: true,
        apiVips: { items: [] },
        ingressVips: { items: [] },
        machineNetworks: { items: ['192.0.2.0/24'] },
      });
      if (!first || !second) throw new Error('the cluster has no hosts');
      const { instructions } = await cluster.poll(first);
      const step = instructions.find(({ stepType }) => stepType === 'dhcp-lease-allocate');
      expect(JSON.parse(step?.args[0] ?? '{}')).toEqual({
        interface: 'ens3',
        api_vip_mac: expect.stringMatching(/^00:1a:4a:/),
        ingress_vip_mac: expect.stringMatching(/^00:1a:4a:/),
      });
      await reply(first, output('192.0.2.200'));
      await reply(second, output('192.0.2.200').replace('10:00:00', '11:11:11'));
      expect((await derived()).map(({ data }) => data)).toEqual([
        {
          apiVips: ['192.0.2.200'],
          ingressVips: ['192.0.2.201'],
          apiVipLease: expect.stringContaining('expire never;'),
          ingressVipLease: expect.stringContaining('fixed-address 192.0.2.201;'),
        },
      ]);
      await expect(reply(first, output('198.51.100.1'))).rejects.toThrow(
        /not both in the machine network 192\.0\.2\.0\/24/,
      );
      expect(running.reports).toMatchObject([
        {
          type: 'StepFailed',
          data: { stepType: 'dhcp-lease-allocate', reason: expect.stringContaining('198.51.100.1') },
        },
      ]);
      expect(running.cleared).toEqual([]);
      for (const key of [first, second, first]) await reply(key, output('192.0.2.200'));
      expect(running.cleared).toEqual([first]);
      await expect(reply(first, '{')).rejects.toThrow(/The DHCP leases cannot be used/);
      const again = (await cluster.poll(second)).instructions.find(
        ({ stepType }) => stepType === 'dhcp-lease-allocate',
      );
      expect(JSON.parse(again?.args[0] ?? '{}')).toMatchObject({
        api_vip_lease: expect.stringContaining('fixed-address 192.0.2.200;'),
      });
    });
  });

  it('return the upgrade step to an agent with an outdated version, by its last reported version', async () => {
    const key = await registeredUnbound();
    const upgrade = [
      { stepType: 'upgrade-agent', stepId: '', args: ['{"agent_image":"quay.io/muster/agent:latest"}'] },
    ];
    const poll = (discoveryAgentVersion: string) =>
      running.ask(method.nextSteps, { ...parseHostKey(key), discoveryAgentVersion });
    expect((await poll('quay.io/muster/agent:old')).instructions).toEqual(upgrade);
    expect((await poll('')).instructions).toEqual(upgrade);
    await running.ask(method.registerHost, { ...parseHostKey(key), discoveryAgentVersion: AGENT });
    expect((await poll('')).instructions).not.toEqual(upgrade);
    await running.ask(method.registerHost, { ...parseHostKey(key), discoveryAgentVersion: 'quay.io/muster/agent:old' });
    expect((await poll('')).instructions).toEqual(upgrade);
  });

  it('pass reports to the inventory service with the generation of the host, and return its position', async () => {
    const key = await registeredUnbound();
    const output = '{"ntp_sources":[]}';
    expect(await cluster.reply(key, 'ntp-synchronizer', { output })).toEqual({ stored: { position: 7, revision: 0 } });
    await cluster.registerHost(parseHostKey(key).hostId);
    await cluster.reply(key, 'ntp-synchronizer', { output });
    const report = { hostKey: key, type: 'NtpSourcesReported' };
    expect(running.reports).toMatchObject([
      { ...report, data: { generation: 1 } },
      { ...report, data: { generation: 2 } },
    ]);
  });

  it.each([
    ['ntp-synchronizer', 0, '{}', 'NtpSourcesReported'],
    ['ntp-synchronizer', 1, '{}', 'StepFailed'],
    ['installation-disk-speed-check', 1, '{"path":"/dev/sda"}', 'DiskSpeedMeasured'],
    ['installation-disk-speed-check', 0, '', undefined],
    ['container-image-availability', 0, '', undefined],
    ['container-image-availability', 0, '{}', 'ImageAvailabilityReported'],
    ['tang-connectivity-check', 1, '', 'TangConnectivityReported'],
    ['tang-connectivity-check', 0, '{}', 'TangConnectivityReported'],
    ['logs-gather', 0, 'x', undefined],
    ['stop-installation', 0, '', undefined],
    ['upgrade-agent', 0, '{}', undefined],
  ])('record %s with exit code %i and output %s as %s', async (stepType, exitCode, output, type) => {
    await cluster.reply(await registeredUnbound(), stepType, { exitCode, output });
    expect(running.reports.map((report) => report.type)).toEqual(type ? [type] : []);
  });

  it('refuse a report that is not valid, except for a failed step', async () => {
    const key = await registeredUnbound();
    await expect(cluster.reply(key, 'ntp-synchronizer', { output: 'x' })).rejects.toMatchObject({
      refusal: { code: 'invalid-input', subject: 'NTP report' },
    });
    await cluster.reply(key, 'installation-disk-speed-check', { output: 'x', exitCode: 1 });
    expect(running.reports).toMatchObject([
      { type: 'StepFailed', data: { stepType: 'installation-disk-speed-check', reason: 'exit code 1' } },
    ]);
  });

  it('refuse an inventory of a host that is being installed', async () => {
    const [key] = await cluster.installing();
    if (!key) throw new Error('there are three hosts');
    await expect(cluster.reply(key, 'inventory', { output: '{}' })).rejects.toMatchObject({
      refusal: { code: 'not-allowed-in-state' },
    });
    expect(running.reports).toEqual([]);
  });

  it('report the loss of the boot media once, and its return', async () => {
    const key = await registeredUnbound();
    await cluster.reply(key, 'inventory', { exitCode: 256 });
    expect(await running.host(key)).toMatchObject({ status: 'disconnected-unbound', isMediaConnected: false });
    const before = await running.allEvents();
    await cluster.reply(key, 'inventory', { exitCode: 256 });
    expect(await running.allEvents()).toEqual(before);
    await cluster.reply(key, 'logs-gather');
    expect((await running.host(key)).isMediaConnected).toBe(true);
  });

  it('that the media were lost fail a host that is prepared until it boots again', async () => {
    const [key] = await cluster.ready();
    if (!key) throw new Error('there are three hosts');
    await cluster.install();
    await cluster.reply(key, 'container-image-availability', { exitCode: 256 });
    await running.settled();
    expect((await running.host(key)).status).toBe('error');
    await cluster.evaluate({ ...READY, requiredPassed: false });
    expect((await running.cluster(cluster.id)).status).toBe('insufficient');
    await cluster.registerHost(parseHostKey(key).hostId);
    expect(await running.host(key)).toMatchObject({ status: 'discovering', isMediaConnected: true });
  });

  describe('replies during an installation', () => {
    let key: HostKey;
    beforeEach(async () => {
      const [first] = await cluster.installing();
      if (!first) throw new Error('there are three hosts');
      key = first;
    });

    it('end the installation of the host when the installer failed', async () => {
      const context = asUser();
      const failed = { ...parseHostKey(key), stepType: 'install', exitCode: 1, error: 'no' };
      const reply = () => running.ask(method.replyToStep, failed, context);
      const first = await reply();
      expect(await running.host(key)).toMatchObject({ status: 'error', failedBy: 'report' });
      const before = await running.allEvents();
      expect(await reply()).toEqual(first);
      expect(await running.allEvents()).toEqual(before);
    });

    it('do not end it when the installer was started twice, and report no failure', async () => {
      const error = 'Error: the container name "assisted-installer" is already in use by 1234';
      await cluster.reply(key, 'install', { exitCode: 125, error });
      expect((await running.host(key)).status).toBe('installing');
      expect(running.reports).not.toContainEqual(expect.objectContaining({ hostKey: key, type: 'StepFailed' }));
      await cluster.reply(key, 'install', { exitCode: 125, error: 'no such image' });
      expect((await running.host(key)).status).toBe('error');
    });

    it('report no failure of an installer that ends after a cancellation', async () => {
      const { clusterId } = await running.host(key);
      await running.ask(method.cancelInstallation, { clusterId });
      await eventually('the host is cancelled', async () => (await running.host(key)).status === 'cancelled');
      await cluster.reply(key, 'install', { exitCode: 143, error: 'terminated' });
      expect((await running.host(key)).status).toBe('cancelled');
      expect(running.reports).not.toContainEqual(expect.objectContaining({ hostKey: key, type: 'StepFailed' }));
    });

    it('end it when the boot media is lost', async () => {
      await cluster.reply(key, 'install', { exitCode: 256 });
      expect(await running.host(key)).toMatchObject({ status: 'error', failedBy: 'media' });
      expect(await running.types(streamIdOf('host', key))).not.toContain('HostInstallationFailed');
    });
  });

  it('measure the clock offset of the host and report only changes', async () => {
    const key = await registeredUnbound();
    const poll = (offsetSeconds: number) =>
      running.ask(method.nextSteps, {
        ...parseHostKey(key),
        timestampSeconds: Math.floor(running.clock.nowMs() / 1_000) + offsetSeconds,
      });
    for (const offset of [600, 610, 571, 0]) await poll(offset);
    await eventually('both are reported', () => running.reports.length >= 2);
    expect(running.reports).toMatchObject([
      { type: 'ClockOffsetMeasured', data: { offsetSeconds: 600 } },
      { type: 'ClockOffsetMeasured', data: { offsetSeconds: 0 } },
    ]);
  });
});
