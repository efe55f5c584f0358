import { randomUUID } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { RegistrationService, streamIdOf } from '@muster/contracts';
import {
  agentTokenGeneration,
  DocumentWorkers,
  NO_DOCUMENT,
  openDocument,
  openTrustBundle,
  referenceOf,
} from '@muster/nest-kit';
import { TestCluster } from './cluster.fixture.spec';
import { asUser, RunningRegistration } from './running-registration.fixture.spec';

describe('the signing key of an infra-env', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  const rotate = (infraEnvId: string, context = asUser()) =>
    running.ask(RegistrationService.method.rotateSigningKey, { infraEnvId }, context);
  const generation = (infraEnvId: string): Promise<string> =>
    agentTokenGeneration(running.platform.secrets, infraEnvId);

  it('is rotated once per request, also when the request is repeated', async () => {
    const cluster = new TestCluster(running);
    await cluster.registerInfraEnv('');
    const context = asUser();
    const first = await rotate(cluster.infraEnvId, context);
    expect(await rotate(cluster.infraEnvId, context)).toEqual(first);
    const types = () => running.types(streamIdOf('infraEnv', cluster.infraEnvId));
    expect(await types()).toEqual(['InfraEnvRegistered', 'ImageSigningKeyRotated']);
    await rotate(cluster.infraEnvId);
    expect(await types()).toEqual(['InfraEnvRegistered', 'ImageSigningKeyRotated', 'ImageSigningKeyRotated']);
  });

  it('is refused for an unknown infra-env, and no secret of it is stored', async () => {
    const infraEnvId = randomUUID();
    await expect(rotate(infraEnvId)).rejects.toMatchObject({
      refusal: { code: 'not-found', subject: 'infra_env_id' },
    });
    expect(await generation(infraEnvId)).toBe('');
  });

  it('revokes the tokens once per request, also when the request is repeated', async () => {
    const cluster = new TestCluster(running);
    await cluster.registerInfraEnv('');
    const context = asUser();
    await rotate(cluster.infraEnvId, context);
    const first = await generation(cluster.infraEnvId);
    expect(first).not.toBe('');
    await rotate(cluster.infraEnvId, context);
    expect(await generation(cluster.infraEnvId)).toBe(first);
    await rotate(cluster.infraEnvId);
    expect(await generation(cluster.infraEnvId)).not.toBe(first);
  });
});

describe('the image type of an infra-env', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  it.each([
    ['Cluster', {}, 'full-iso'],
    ['DisconnectedCluster', {}, 'disconnected-iso'],
    ['DisconnectedCluster', { imageType: 'minimal-iso' }, 'minimal-iso'],
  ])('is that of the %s when the request is %j: %s', async (kind, settings, expected) => {
    const cluster = new TestCluster(running);
    await cluster.register({}, { kind });
    await cluster.registerInfraEnv(cluster.id, settings);
    expect((await running.infraEnv(cluster.infraEnvId)).settings.imageType).toBe(expected);
  });
});

describe('the Ignition override of an infra-env', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  const filled = (characters: string): string =>
    JSON.stringify({
      ignition: { version: '3.1.0' },
      storage: { files: [{ path: '/etc/x', contents: { source: `data:,${characters}` } }] },
    });
  const noise = Array.from({ length: 60_000 }, (_, n) => ((n * 2_654_435_761) % 2 ** 32).toString(36)).join('');

  const revise = async (ignitionConfigOverride: string): Promise<string> => {
    const cluster = new TestCluster(running);
    await cluster.registerInfraEnv('');
    const { infraEnvId } = cluster;
    await running.ask(RegistrationService.method.reviseInfraEnv, { infraEnvId, changes: {}, ignitionConfigOverride });
    return infraEnvId;
  };

  it('is accepted when its compressed size fits into an image', async () => {
    const text = filled('a'.repeat(400_000));
    const runAlone = jest.spyOn(DocumentWorkers.prototype, 'runAlone');
    const { settings } = await running.infraEnv(await revise(text));
    expect(settings.ignitionConfigOverride).toEqual(referenceOf(text));
    // The compression of a large text would delay all other requests.
    expect(runAlone.mock.calls.map(([{ name }]) => name)).toContain('createIgnitionArchive');
  });

  it('is refused with its size when it does not fit into any image', async () => {
    await expect(revise(filled(noise))).rejects.toMatchObject({
      refusal: {
        subject: 'ignition_config_override',
        reason: expect.stringMatching(/takes \d+ bytes of the image when it is compressed. Allowed: at most 245760/),
      },
    });
  });
});

describe('the documents of an infra-env and a cluster', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  const { reviseInfraEnv, reviseCluster } = RegistrationService.method;
  const network = (name: string): string =>
    JSON.stringify([{ network_yaml: `interfaces: [{name: ${name}, mac-address: "02:00:00:80:12:14"}]` }]);
  const override = JSON.stringify({ ignition: { version: '3.1.0' } });
  const registered = async (): Promise<TestCluster> => {
    const cluster = new TestCluster(running);
    await cluster.register({});
    await cluster.registerInfraEnv(cluster.id);
    return cluster;
  };

  it('are sealed, and events contain their digest and length', async () => {
    const { id: clusterId, infraEnvId } = await registered();
    await running.ask(
      reviseInfraEnv,
      { infraEnvId, changes: {}, staticNetworkConfig: network('eth0'), ignitionConfigOverride: override },
      asUser(),
    );
    const { settings } = await running.infraEnv(infraEnvId);
    expect(settings.staticNetworkConfig).toEqual(referenceOf(network('eth0')));
    expect(await openDocument(running.platform.secrets, infraEnvId, settings.staticNetworkConfig, '')).toBe(
      network('eth0'),
    );
    expect(await openDocument(running.platform.secrets, infraEnvId, settings.ignitionConfigOverride, '')).toBe(
      override,
    );

    const overrides = JSON.stringify({ fips: true, networking: { networkType: 'Cilium' } });
    await running.ask(reviseCluster, { clusterId, changes: {}, installConfigOverrides: overrides }, asUser());
    const { installConfigOverrides } = (await running.cluster(clusterId)).settings;
    expect(installConfigOverrides).toEqual({
      document: referenceOf(overrides),
      omitsConsole: false,
      isFips: true,
      networkType: 'Cilium',
    });
    expect(await openDocument(running.platform.secrets, clusterId, installConfigOverrides?.document, '')).toBe(
      overrides,
    );
  });

  it('are refused with the name of their field, and nothing is stored', async () => {
    const { id: clusterId, infraEnvId } = await registered();
    const refusedBy = (subject: string) => ({ refusal: { code: 'invalid-input', subject } });
    for (const [field, subject] of [
      ['staticNetworkConfig', 'static_network_config'],
      ['ignitionConfigOverride', 'ignition_config_override'],
    ] as const)
      await expect(
        running.ask(reviseInfraEnv, { infraEnvId, changes: {}, [field]: '[{}]' }, asUser()),
      ).rejects.toMatchObject(refusedBy(subject));
    await expect(
      running.ask(reviseCluster, { clusterId, changes: {}, installConfigOverrides: '[]' }, asUser()),
    ).rejects.toMatchObject(refusedBy('install_config_overrides'));
    expect(await running.types(streamIdOf('infraEnv', infraEnvId))).toEqual(['InfraEnvRegistered']);
  });

  it('are refused when another text is longer than an event may contain, and nothing is stored', async () => {
    const { infraEnvId } = await registered();
    const additionalNtpSources = Array(1_900).fill('10.0.0.1').join();
    await expect(running.ask(reviseInfraEnv, { infraEnvId, changes: { additionalNtpSources } })).rejects.toMatchObject({
      refusal: {
        code: 'too-large',
        reason: expect.stringContaining('additional_ntp_sources is too long to be stored'),
        subject: 'additional_ntp_sources',
      },
    });
    expect(await running.types(streamIdOf('infraEnv', infraEnvId))).toEqual(['InfraEnvRegistered']);
  });

  it('stay when a request does not contain them, and networks are removed with an empty text', async () => {
    const { infraEnvId } = await registered();
    const revise = (changes: object) => running.ask(reviseInfraEnv, { infraEnvId, changes: {}, ...changes }, asUser());
    await revise({ staticNetworkConfig: network('eth0'), ignitionConfigOverride: override });
    await revise({ ignitionConfigOverride: '', changes: { imageType: 'minimal-iso' } });
    const { settings } = await running.infraEnv(infraEnvId);
    expect(settings.ignitionConfigOverride).toEqual(referenceOf(override));
    await revise({ staticNetworkConfig: '' });
    expect((await running.infraEnv(infraEnvId)).settings.staticNetworkConfig).toEqual(NO_DOCUMENT);
  });

  const BRIDGE = JSON.stringify([
    { network_yaml: 'interfaces: [{name: eth0, mac-address: "02:00:00:80:12:14"}, {name: br0, type: ovs-bridge}]' },
  ]);

  it('are checked again when the version changes', async () => {
    const { infraEnvId } = await registered();
    await running.ask(
      reviseInfraEnv,
      { infraEnvId, changes: { openshiftVersion: '4.18.1' }, staticNetworkConfig: BRIDGE },
      asUser(),
    );
    await expect(
      running.ask(reviseInfraEnv, { infraEnvId, changes: { openshiftVersion: '4.17.1' } }, asUser()),
    ).rejects.toMatchObject({ refusal: { subject: 'static_network_config' } });
  });

  it('are checked for minimal images, whose ramdisk has keyfiles in every version', async () => {
    const { infraEnvId } = await registered();
    const revise = (changes: object, more: object = {}) =>
      running.ask(reviseInfraEnv, { infraEnvId, changes, ...more }, asUser());
    const refusal = {
      code: 'invalid-input',
      subject: 'static_network_config',
      reason: expect.stringContaining("type 'ovs-bridge' cannot be written as a NetworkManager keyfile"),
    };
    const staticNetworkConfig = BRIDGE;
    await expect(
      revise({ openshiftVersion: '4.18.1', imageType: 'minimal-iso' }, { staticNetworkConfig }),
    ).rejects.toMatchObject({ refusal });
    await revise({ openshiftVersion: '4.18.1', imageType: 'full-iso' }, { staticNetworkConfig });
    await expect(revise({ imageType: 'minimal-iso' })).rejects.toMatchObject({ refusal });
    await revise({ imageType: 'minimal-iso' }, { staticNetworkConfig: network('eth0') });
    await expect(revise({}, { staticNetworkConfig })).rejects.toMatchObject({ refusal });
  });

  describe('with a trust bundle', () => {
    const certificates = (count: number): string => `# Corporate Root CA\n${rootCertificates[0] ?? ''}\n`.repeat(count);
    const LONG = certificates(30);
    const revise = (infraEnvId: string, additionalTrustBundle: string) =>
      running.ask(reviseInfraEnv, { infraEnvId, changes: { additionalTrustBundle } }, asUser());
    const bundleOf = async (infraEnvId: string): Promise<string> =>
      openTrustBundle(running.platform.secrets, infraEnvId, (await running.infraEnv(infraEnvId)).settings);

    it.each([
      ['short', certificates(1)],
      ['long', LONG],
    ])('are sealed for a %s bundle, also when the infra-env is registered with it', async (_length, bundle) => {
      const cluster = new TestCluster(running);
      await cluster.registerInfraEnv('', { additionalTrustBundle: LONG });
      const { infraEnvId } = cluster;
      expect(await bundleOf(infraEnvId)).toBe(LONG);
      await revise(infraEnvId, bundle);
      await revise(infraEnvId, bundle);
      expect(await bundleOf(infraEnvId)).toBe(bundle);
      expect((await running.infraEnv(infraEnvId)).settings.trustBundle).toEqual(referenceOf(bundle));
      const events = await running.events(streamIdOf('infraEnv', infraEnvId));
      expect(events).toHaveLength(bundle === LONG ? 1 : 2);
      expect(JSON.stringify(events)).not.toContain('CERTIFICATE');
    });

    it('are removed with an empty bundle', async () => {
      const { infraEnvId } = await registered();
      await revise(infraEnvId, '');
      expect(await running.types(streamIdOf('infraEnv', infraEnvId))).toEqual(['InfraEnvRegistered']);
      await revise(infraEnvId, LONG);
      await revise(infraEnvId, '');
      expect(await bundleOf(infraEnvId)).toBe('');
    });

    it('replace the text in an event of an earlier release', async () => {
      const infraEnvId = randomUUID();
      const settings = { name: 'image', additionalTrustBundle: certificates(1) };
      await running.append(streamIdOf('infraEnv', infraEnvId), {
        type: 'InfraEnvRegistered',
        data: { infraEnvId, settings },
      });
      expect(await bundleOf(infraEnvId)).toBe(certificates(1));
      await revise(infraEnvId, LONG);
      expect(await bundleOf(infraEnvId)).toBe(LONG);
      await revise(infraEnvId, '');
      expect(await bundleOf(infraEnvId)).toBe('');
    });

    it.each([
      ['text that is no certificate', 'nonsense', 'a list of PEM certificates'],
      ['block that is no certificate', `${certificates(1)}-----BEGIN CERTIFICATE-----\nAAAA`, 'block 2 of 2'],
      ['bundle that is longer than the v2 API allows', certificates(40), '65535 characters'],
    ])('are refused for a %s, and nothing is stored', async (_what, bundle, reason) => {
      const { infraEnvId } = await registered();
      await expect(revise(infraEnvId, bundle)).rejects.toMatchObject({
        refusal: {
          code: 'invalid-input',
          subject: 'additional_trust_bundle',
          reason: expect.stringContaining(reason),
        },
      });
      expect(await running.types(streamIdOf('infraEnv', infraEnvId))).toEqual(['InfraEnvRegistered']);
    });
  });
});
