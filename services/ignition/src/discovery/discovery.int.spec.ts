import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IgnitionService, type MusterEvent } from '@muster/contracts';
import { type IgnitionConfig, readTextFile, parseAgentFile } from '@muster/ignition-config';
import { callService, type DocumentReference, referenceOf, sealDocument, SettingsError } from '@muster/nest-kit';
import { manualClock, type NatsServer, startNatsServer, temporaryDirectory } from '@muster/testing';
import {
  INFRA_ENV_ID,
  infraEnvRegistered,
  openStage,
  PULL_SECRET,
  type Stage,
  refusalOf,
} from '../ignition.fixture.spec';

let nats: NatsServer;
let stage: Stage;
const directory = temporaryDirectory();
beforeAll(async () => {
  nats = await startNatsServer();
});
afterAll(async () => {
  await nats.stop();
  directory.remove();
});
const open = async (environment = {}): Promise<Stage> => {
  stage = await openStage(nats.url, environment);
  await stage.platform.secrets.seal(INFRA_ENV_ID, 'pull-secret', Buffer.from(PULL_SECRET));
  return stage;
};
afterEach(() => stage.close());
const sealed = (text: string): Promise<DocumentReference> => sealDocument(stage.platform.secrets, INFRA_ENV_ID, text);

const render = async (isoType = '', infraEnvId = INFRA_ENV_ID, withoutSecrets = false) => {
  const context = { commandId: 'render', correlationId: 'render', actor: 'service:image' };
  const method = IgnitionService.method.renderDiscoveryIgnition;
  const answer = await callService(stage.platform.requests, method, { infraEnvId, isoType, withoutSecrets }, context);
  const text = Buffer.from(answer.ignition, 'base64').toString();
  return { text, config: JSON.parse(text) as IgnitionConfig, generatedAt: answer.generatedAt };
};
const agentUnit = (config: IgnitionConfig): string =>
  config.systemd?.units?.find(({ name }) => name === 'agent.service')?.contents ?? '';
const tokenOf = (config: IgnitionConfig): string => /PULL_SECRET_TOKEN=([^"]+)/.exec(agentUnit(config))?.[1] ?? '';
const LINK_ABOVE_FILES = JSON.stringify({
  ignition: { version: '3.1.0' },
  storage: { links: [{ path: '/usr/local/bin', target: '/opt/bin' }] },
});

describe('the discovery document of an infra-env', () => {
  it('contains the address of the service and the pull secret', async () => {
    await open({
      SERVICE_BASE_URL: 'https://service.example.com:8443/',
      AGENT_DOCKER_IMAGE: 'registry.example/agent:1',
    });
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered());
    await stage.start();
    const { config } = await render();
    expect(agentUnit(config)).toContain(
      `--url https://service.example.com:8443 --infra-env-id ${INFRA_ENV_ID} --agent-version registry.example/agent:1 --insecure=false`,
    );
    expect(readTextFile(config, '/root/.docker/config.json')).toBe(PULL_SECRET);
    expect(readTextFile(config, '/etc/muster/agent.json')).toBeUndefined();
  });

  it('has no token for readers, and keeps the token for other callers', async () => {
    await open();
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered());
    await stage.start();
    const { config, generatedAt } = await render();
    expect(tokenOf(config)).not.toBe('');
    const forReaders = await render('', INFRA_ENV_ID, true);
    expect(tokenOf(forReaders.config)).toBe('');
    expect(forReaders.text).not.toContain(Buffer.from(PULL_SECRET).toString('base64'));
    expect(readTextFile(forReaders.config, '/root/.docker/config.json') ?? '').not.toContain('auth');
    expect(await render()).toMatchObject({ config, generatedAt });
  });

  it('contains the proxy without its credentials for readers', async () => {
    await open();
    const proxy = { httpProxy: 'http://*****:*****@proxy:3128', httpsProxy: '', noProxy: '', sealedAs: 'proxy-1' };
    const opened = { httpProxy: 'http://me:canary@proxy:3128', httpsProxy: '' };
    await stage.platform.secrets.seal(INFRA_ENV_ID, proxy.sealedAs, Buffer.from(JSON.stringify(opened)));
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered(), {
      type: 'InfraEnvSettingsRevised',
      data: { changes: { proxy } },
    } as unknown as MusterEvent);
    await stage.start();
    expect((await render()).text).toContain('me:canary@proxy');
    const { text } = await render('', INFRA_ENV_ID, true);
    expect(text).not.toContain('canary');
    expect(text).toContain(proxy.httpProxy);
  });

  it('of a disconnected image is refused to readers', async () => {
    await open();
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered());
    await stage.start();
    await expect(render('disconnected-iso', INFRA_ENV_ID, true)).rejects.toMatchObject({
      refusal: { code: 'forbidden', subject: 'discovery_iso_type' },
    });
  });

  it('has the same bytes and date in every process until its input changes', async () => {
    await open();
    const clock = manualClock();
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered());
    const first = await stage.start({ clock });
    const before = await render();
    await first.close();
    clock.advance(60_000);
    await stage.start({ clock });
    expect(await render()).toEqual(before);

    await stage.given('infraEnv', INFRA_ENV_ID, {
      type: 'InfraEnvSettingsRevised',
      data: { changes: { additionalNtpSources: 'ntp.example.com' }, pullSecretReplaced: false },
    });
    const after = await render();
    expect(readTextFile(after.config, '/usr/local/bin/add-ntp-sources.sh')).toContain('ntp.example.com');
    expect(Date.parse(after.generatedAt) - Date.parse(before.generatedAt)).toBe(60_000);
  });

  it('contains a new pull secret immediately', async () => {
    await open();
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered());
    await stage.start();
    await render();
    await stage.platform.secrets.seal(INFRA_ENV_ID, 'pull-secret', Buffer.from('{"auths":{"new":{}}}'));
    await stage.given('infraEnv', INFRA_ENV_ID, {
      type: 'InfraEnvSettingsRevised',
      data: { changes: {}, pullSecretReplaced: true },
    });
    expect(readTextFile((await render()).config, '/root/.docker/config.json')).toBe('{"auths":{"new":{}}}');
  });

  it.each([
    ['4.17.1', 'full-iso', 'host0/eth0.nmconnection'],
    ['4.18.1', 'full-iso', 'host0/ymlFile0.yml'],
    ['4.18.1', 'minimal-iso', undefined],
  ])('has the static networks of hosts of version %s on a %s as %s', async (openshiftVersion, isoType, file) => {
    await open();
    const staticNetworkConfig = await sealed(
      JSON.stringify([
        {
          network_yaml:
            'interfaces: [{name: eth0, mac-address: "02:00:00:80:12:14", ipv4: {enabled: true, dhcp: true}}]',
        },
      ]),
    );
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered({ openshiftVersion, staticNetworkConfig }));
    await stage.start();
    const { config } = await render(isoType);
    const folder = '/etc/assisted/network/';
    const paths = (config.storage?.files ?? []).map(({ path }) => path).filter((path) => path.startsWith(folder));
    expect(paths).toEqual(file ? [`${folder}${file}`, `${folder}host0/mac_interface.ini`] : []);
    const units = (config.systemd?.units ?? []).map(({ name }) => name);
    expect(units.includes('pre-network-manager-config.service')).toBe(file !== undefined);
  });

  it('contains the override', async () => {
    await open();
    const ignitionConfigOverride = await sealed(
      JSON.stringify({
        ignition: { version: '3.1.0' },
        storage: { files: [{ path: '/etc/motd', contents: { source: 'data:,mine' } }] },
      }),
    );
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered({ ignitionConfigOverride }));
    await stage.start();
    expect(readTextFile((await render()).config, '/etc/motd')).toBe('mine');
  });

  it.each([
    ['a document', async () => ({ trustBundle: await sealed('PEM\n') })],
    ['the text in an event of an earlier release', async () => ({ additionalTrustBundle: 'PEM\n' })],
  ])('contains the trust bundle from %s', async (_, settingsOf) => {
    await open();
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered(await settingsOf()));
    await stage.start();
    const path = '/etc/pki/ca-trust/source/anchors/assisted-infraenv-additional-trust-bundle.pem';
    expect(readTextFile((await render()).config, path)).toBe('PEM\n');
  });

  it.each([
    ['an unknown infra-env', {}, '', 'e1e1e1e1-0000-4000-8000-00000000dead', 'not-found'],
    ['an id that is none', {}, '', '../secrets', 'not-found'],
    ['a type that is none', {}, 'floppy', INFRA_ENV_ID, 'invalid-input'],
  ])('is refused for %s', async (_, settings, isoType, infraEnvId, code) => {
    await open();
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered(settings));
    await stage.start();
    expect(await refusalOf(render(isoType, infraEnvId))).toMatchObject({ code });
  });

  it.each([
    ['an override that is none', 'ignitionConfigOverride', '{"ignition":{}}', 'invalid-input'],
    ['an override with a link above its files', 'ignitionConfigOverride', LINK_ABOVE_FILES, 'invalid-input'],
    [
      'an override that 4.11 cannot read',
      'ignitionConfigOverride',
      '{"ignition":{"version":"3.4.0"}}',
      'invalid-input',
    ],
    ['a static network that is none', 'staticNetworkConfig', '[{}]', 'invalid-input'],
  ])('is refused for %s', async (_, field, text, code) => {
    await open();
    const settings = { openshiftVersion: '4.11', [field]: await sealed(text) };
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered(settings));
    await stage.start();
    expect(await refusalOf(render('full-iso'))).toMatchObject({ code });
  });

  it.each([
    ['ignitionConfigOverride', 'ignition_config_override'],
    ['staticNetworkConfig', 'static_network_config'],
    ['trustBundle', 'additional_trust_bundle'],
  ])('names %s when its text is missing', async (field, subject) => {
    await open();
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered({ [field]: referenceOf('lost') }));
    await stage.start();
    expect(await refusalOf(render('full-iso'))).toMatchObject({ code: 'not-ready', subject });
  });

  it('is removed with its infra-env', async () => {
    await open();
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered());
    await stage.start();
    await render();
    await stage.given('infraEnv', INFRA_ENV_ID, { type: 'InfraEnvDeregistered', data: {} });
    expect(await refusalOf(render())).toMatchObject({ code: 'not-found' });
  });

  it('is refused when the pull secret is missing', async () => {
    await open();
    await stage.platform.secrets.shred(INFRA_ENV_ID);
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered());
    await stage.start();
    expect(await refusalOf(render())).toMatchObject({ code: 'not-ready', subject: 'pull_secret' });
  });
});

describe('the token of the agents', () => {
  it('is signed with the configured key, and stays the same', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await open({
      AUTH_TYPE: 'local',
      EC_PRIVATE_KEY_PEM: privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
    });
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered());
    const service = await stage.start();
    const token = tokenOf((await render()).config);
    const { jwtVerify } = await import('jose');
    const { payload } = await jwtVerify(token, createPublicKey(privateKey), { algorithms: ['ES256'] });
    expect(payload).toEqual({ infra_env_id: INFRA_ENV_ID, exp: expect.any(Number) });
    await service.close();
    await stage.start();
    expect(tokenOf((await render()).config)).toBe(token);
  });

  it('differs between infra-envs without a configured key', async () => {
    const otherId = 'e1e1e1e1-0000-4000-8000-00000000beef';
    await open();
    await stage.platform.secrets.seal(otherId, 'pull-secret', Buffer.from(PULL_SECRET));
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered());
    await stage.given('infraEnv', otherId, infraEnvRegistered({}, otherId));
    await stage.start();
    const [own, other] = [tokenOf((await render()).config), tokenOf((await render('', otherId)).config)];
    expect(own).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(other).not.toBe(own);
  });

  it.each([[''], ['is refused at the start for the key %j']])('is refused at the start for the key %j', async (pem) => {
    await open({ AUTH_TYPE: 'local', EC_PRIVATE_KEY_PEM: pem });
    await expect(stage.start()).rejects.toThrow(SettingsError);
  });
});

describe('the bus', () => {
  it('is offered to agents by its address, without credentials', async () => {
    await open({ AGENT_NATS_URL: nats.url });
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered());
    await stage.start();
    const { config } = await render();
    expect(parseAgentFile(readTextFile(config, '/etc/muster/agent.json') ?? '{}').nats).toEqual({ url: nats.url });
  });

  it('is offered with its certificate authority', async () => {
    const NATS_CA_FILE = join(directory.path, 'ca.pem');
    writeFileSync(NATS_CA_FILE, 'PEM of the authority');
    await open({ AGENT_NATS_URL: nats.url, NATS_CA_FILE });
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered());
    await stage.start();
    const { config } = await render();
    const agentFile = parseAgentFile(readTextFile(config, '/etc/muster/agent.json') ?? '{}');
    expect(agentFile.nats).toEqual({ url: nats.url, caPem: 'PEM of the authority' });
  });
});
