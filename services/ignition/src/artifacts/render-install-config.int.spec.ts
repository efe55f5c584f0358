import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostSecretName, IgnitionService, type MusterEvent } from '@muster/contracts';
import { readTextFile, toIgnitionConfig } from '@muster/ignition-config';
import { callService, sealDocument } from '@muster/nest-kit';
import { eventually, type NatsServer, startNatsServer, temporaryDirectory } from '@muster/testing';
import { selfSigned } from '@muster/testing/registry';
import {
  CLUSTER_ID,
  clusterRegistered,
  givenReadyCluster,
  HOST_IDS,
  INFRA_ENV_ID,
  openStage,
  preparationStarted,
  PULL_SECRET,
  type Stage,
} from '../ignition.fixture.spec';

let nats: NatsServer;
let stage: Stage;
beforeAll(async () => {
  nats = await startNatsServer();
});
afterAll(() => nats.stop());
beforeEach(async () => {
  stage = await openStage(nats.url);
  await stage.start();
});
afterEach(() => stage.close());

const { renderInstallConfig, readArtifact } = IgnitionService.method;
const context = { commandId: 'read', correlationId: 'read', actor: 'user' };
const rendered = async (withoutSecrets = false): Promise<string> => {
  const { content } = await callService(
    stage.platform.requests,
    renderInstallConfig,
    { clusterId: CLUSTER_ID, withoutSecrets },
    context,
  );
  return Buffer.from(content, 'base64').toString();
};
const workersOf = (text: string): unknown =>
  (JSON.parse(text) as { compute: { replicas: number }[] }).compute[0]?.replicas;
const registeredAs = (kind: string): MusterEvent => {
  const event = clusterRegistered();
  return { ...event, data: { ...event.data, kind } } as MusterEvent;
};

describe('an install-config before the installation', () => {
  it('equals the one with which the installation is then made', async () => {
    await givenReadyCluster(stage);
    // That of the last host, whose inventory is the last event.
    await eventually('all addresses are there', async () => (await rendered()).includes('02:00:00:00:00:03'));
    const before = await rendered();
    expect(JSON.parse(before)).toMatchObject({ metadata: { name: 'demo' }, pullSecret: PULL_SECRET });
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    await stage.fact('ArtifactsPrepared');
    const input = { clusterId: CLUSTER_ID, name: 'install-config.yaml' };
    const { content } = await callService(stage.platform.requests, readArtifact, input, context);
    expect(Buffer.from(content, 'base64').toString()).toBe(before);
  });

  it('has the network of the default route when the nodes have no VIP, and so have the nodes', async () => {
    await givenReadyCluster(stage);
    await stage.given('cluster', CLUSTER_ID, {
      type: 'ClusterSettingsRevised',
      data: {
        changes: {
          platformType: 'none',
          userManagedNetworking: true,
          machineNetworks: { items: [] },
          clusterNetworks: { items: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }] },
        },
        pullSecretReplaced: false,
      },
    } as unknown as MusterEvent);
    await stage.given('inventory', `${INFRA_ENV_ID}.${HOST_IDS[0]}`, {
      type: 'InventoryReported',
      data: {
        hardware: {
          hostname: '',
          bootMode: 'uefi',
          nics: [
            { name: 'eno1', macAddress: '02:00:00:00:01:00', ipv4Addresses: ['10.99.0.5/24'], ipv6Addresses: [] },
            {
              name: 'eno2',
              macAddress: '02:00:00:00:02:00',
              ipv4Addresses: ['192.168.1.10/24'],
              ipv6Addresses: ['fd00::5/64'],
            },
          ],
          routes: [
            { interface: 'eno1', destination: '10.99.0.0', gateway: '0.0.0.0', family: 2, metric: 100 },
            { interface: 'eno2', destination: '0.0.0.0', gateway: '192.168.1.1', family: 2, metric: 101 },
          ],
        },
      },
    } as unknown as MusterEvent);
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    await stage.fact('ArtifactsPrepared');
    expect(JSON.parse(await rendered())).toMatchObject({
      networking: { machineNetwork: [{ cidr: '192.168.1.0/24' }] },
    });
    const input = { clusterId: CLUSTER_ID, name: `master-${HOST_IDS[0]}.ign` };
    const { content } = await callService(stage.platform.requests, readArtifact, input, context);
    const master = toIgnitionConfig(JSON.parse(Buffer.from(content, 'base64').toString()));
    expect(readTextFile(master, '/etc/default/nodeip-configuration')).toBe('KUBELET_NODEIP_HINT=192.168.1.0\n');
  });

  it('contains the certificate authorities of overrides, Red Hat, the mirrors and the infra-envs, in this order', async () => {
    await stage.close();
    const names = ['OVERRIDE', 'REDHAT', 'MIRROR', 'SITE'];
    const authorities = new Map<string, string>();
    for (const name of names) authorities.set(name, `${(await selfSigned()).certPem.trim()}\n`);
    const authority = (name: string): string => authorities.get(name) ?? '';
    const directory = temporaryDirectory();
    const file = (name: string, text: string): string => {
      writeFileSync(join(directory.path, name), text);
      return join(directory.path, name);
    };
    stage = await openStage(nats.url, {
      INSTALL_RH_CA: 'true',
      RH_CA_PATH: file('rh.pem', authority('REDHAT')),
      MIRROR_REGISTRIES_CONF_PATH: file('registries.conf', '[[registry]]\nlocation = "quay.io"\n'),
      MIRROR_REGISTRIES_CA_PATH: file('mirror.pem', authority('MIRROR')),
    });
    await givenReadyCluster(stage);
    const trustBundle = await sealDocument(stage.platform.secrets, INFRA_ENV_ID, authority('SITE'));
    await stage.given('infraEnv', INFRA_ENV_ID, {
      type: 'InfraEnvSettingsRevised',
      data: { changes: { trustBundle }, pullSecretReplaced: false },
    });
    const overrides = JSON.stringify({ additionalTrustBundle: authority('OVERRIDE') });
    const document = await sealDocument(stage.platform.secrets, CLUSTER_ID, overrides);
    await stage.given('cluster', CLUSTER_ID, {
      type: 'ClusterSettingsRevised',
      data: { changes: { installConfigOverrides: { document } } },
    } as unknown as MusterEvent);
    await stage.start();
    const bundleOf = async (): Promise<string> =>
      (JSON.parse(await rendered()) as { additionalTrustBundle?: string }).additionalTrustBundle ?? '';
    // That of the infra-env is known with the hosts, and the others are known before.
    await eventually('all authorities are there', async () => (await bundleOf()).includes(authority('SITE')));
    expect(await bundleOf()).toBe(names.map(authority).join(''));
    directory.remove();
  });

  it('contains the power management of a host when it was set', async () => {
    await givenReadyCluster(stage);
    await stage.given('cluster', CLUSTER_ID, {
      type: 'ClusterSettingsRevised',
      data: { changes: { controlPlaneCount: 2 } },
    } as unknown as MusterEvent);
    const [first] = HOST_IDS;
    const credentials = {
      address: 'https://bmc',
      username: 'root',
      password: 'canary',
      mac_address: '52:54:00:00:00:01',
    };
    await stage.platform.secrets.seal(
      INFRA_ENV_ID,
      hostSecretName(first ?? '', 'fencing-credentials'),
      Buffer.from(JSON.stringify({ ...credentials, certificate_verification: 'Disabled' })),
    );
    await stage.given('host', `${INFRA_ENV_ID}.${first}`, {
      type: 'HostSettingsRevised',
      data: { changes: { fencingCredentialsSet: true } },
    } as unknown as MusterEvent);
    const { mac_address: macAddress, ...rest } = credentials;
    await eventually('the credentials are there', async () => (await rendered()).includes('canary'));
    expect(JSON.parse(await rendered())).toMatchObject({
      controlPlane: { fencing: { credentials: [{ ...rest, macAddress, certificateVerification: 'Disabled' }] } },
    });
  });

  it('contains no credentials for callers that may only read', async () => {
    await givenReadyCluster(stage);
    const [first] = HOST_IDS;
    const { secrets } = stage.platform;
    const proxy = { httpProxy: 'http://*****:*****@proxy:3128', sealedAs: 'proxy-1' };
    const opened = { httpProxy: 'http://me:canary@proxy:3128', httpsProxy: '' };
    await secrets.seal(CLUSTER_ID, proxy.sealedAs, Buffer.from(JSON.stringify(opened)));
    await stage.given('cluster', CLUSTER_ID, {
      type: 'ClusterSettingsRevised',
      data: { changes: { proxy, controlPlaneCount: 2 } },
    } as unknown as MusterEvent);
    const bmc = { address: 'https://bmc', username: 'root', password: 'canary', mac_address: '52:54:00:00:00:01' };
    const fencing = Buffer.from(JSON.stringify({ ...bmc, certificate_verification: 'Disabled' }));
    const name = hostSecretName(first ?? '', 'fencing-credentials');
    await secrets.seal(INFRA_ENV_ID, name, fencing);
    await stage.given('host', `${INFRA_ENV_ID}.${first}`, {
      type: 'HostSettingsRevised',
      data: { changes: { fencingCredentialsSet: true } },
    } as unknown as MusterEvent);
    await eventually(
      'the proxy and the power management are there',
      async () => (await rendered()).split('canary').length === 4,
    );
    const text = await rendered(true);
    expect(text).not.toContain('canary');
    expect(JSON.parse(text)).toMatchObject({ pullSecret: '{"auths":{}}', proxy: { httpProxy: proxy.httpProxy } });
    const masked = { address: '*****', username: '*****', password: '*****', macAddress: bmc.mac_address };
    expect(JSON.parse(text)).toMatchObject({
      featureSet: 'TechPreviewNoUpgrade',
      controlPlane: { fencing: { credentials: [masked] } },
    });
  });

  it('contains no credentials of overrides for callers that may only read', async () => {
    await givenReadyCluster(stage);
    const bmc = { address: 'https://me:canary@bmc', username: 'root', password: 'canary' };
    const pullSecret = '{"auths":{"canary":{"auth":"bWU6Y2FuYXJ5"}}}';
    const overrides = JSON.stringify({
      pullSecret,
      proxy: { httpProxy: 'http://me:canary@proxy:3128' },
      platform: { baremetal: { hosts: [{ bmc }] } },
    });
    const document = await sealDocument(stage.platform.secrets, CLUSTER_ID, overrides);
    await stage.given('cluster', CLUSTER_ID, {
      type: 'ClusterSettingsRevised',
      data: { changes: { installConfigOverrides: { document } } },
    } as unknown as MusterEvent);
    await eventually('the overrides are there', async () => (await rendered()).split('canary').length === 5);
    expect(JSON.parse(await rendered())).toMatchObject({ pullSecret, platform: { baremetal: { hosts: [{ bmc }] } } });
    const text = await rendered(true);
    expect(text).not.toContain('canary');
    expect(JSON.parse(text)).toMatchObject({
      pullSecret: '{"auths":{}}',
      proxy: { httpProxy: 'http://*****@proxy:3128' },
      platform: {
        baremetal: { hosts: [{ bmc: { address: 'https://*****@bmc', username: 'root', password: '*****' } }] },
      },
    });
  });

  it('omits hosts without a role', async () => {
    await givenReadyCluster(stage);
    await eventually('all hosts are counted', async () => workersOf(await rendered()) === 1);
    const [, , , worker] = HOST_IDS;
    const undecided = { role: 'auto-assign', machineConfigPoolName: '' };
    await stage.given('host', `${INFRA_ENV_ID}.${worker}`, {
      type: 'HostRoleAssigned',
      data: undecided,
    } as unknown as MusterEvent);
    await eventually('the worker is none', async () => workersOf(await rendered()) === 0);
  });

  it.each([
    ['not-found', 'no cluster', []],
    ['invalid-input', 'a day-2 cluster', [registeredAs('AddHostsCluster')]],
    ['not-allowed-in-state', 'a cluster without a pull secret', [clusterRegistered()]],
  ])('is refused with %s for %s', async (code, _what, events) => {
    if (events.length > 0) await stage.given('cluster', CLUSTER_ID, ...events);
    await expect(rendered()).rejects.toMatchObject({ refusal: { code } });
  });
});
