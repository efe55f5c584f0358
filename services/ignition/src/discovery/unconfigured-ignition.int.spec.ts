import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IgnitionService } from '@muster/contracts';
import { type IgnitionConfig, readTextFile, TRUST_BUNDLE_PATH } from '@muster/ignition-config';
import { callService, sealDocument } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import {
  eventually,
  INSTALLER_UID,
  type NatsServer,
  startNatsServer,
  type TemporaryDirectory,
  temporaryDirectory,
} from '@muster/testing';
import { givenReadyCluster, INFRA_ENV_ID, infraEnvRegistered, openStage, type Stage } from '../ignition.fixture.spec';

/** A fake openshift-install. Each run gives another output, and the input is kept for the test. */
const FAKE_INSTALLER = `#!/usr/bin/env bash
set -euo pipefail
[ "$1 $2 $3 $4" = "agent create unconfigured-ignition --dir" ] || { echo "unknown arguments" >&2; exit 64; }
cd "$5"
home="$(dirname "$0")"
if [ -f "$home/fail" ]; then echo "no such release" >&2; exit 3; fi
if [ -f "$home/empty" ]; then exit 0; fi
if [ -f "$home/other.ign" ]; then ln -s "$home/other.ign" unconfigured-agent.ign; exit 0; fi
if [ -f "$home/slow" ]; then echo started >"$home/started"; exec sleep 600; fi
if [ -f "$home/noisy" ]; then head -c 70000000 /dev/zero; exit 0; fi
id -u >"$home/user"
echo run >>"$home/runs"
cat cluster-manifests/*.yaml agent-config.yaml mirror/registries.conf >"$home/given"
printf '{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/key","contents":{"source":"data:,%s"}}]}}' "$RANDOM$RANDOM" >unconfigured-agent.ign
`;

let nats: NatsServer;
beforeAll(async () => {
  nats = await startNatsServer();
});
afterAll(() => nats.stop());

const itAsRoot = process.getuid?.() === 0 ? it : it.skip;

describe('the document of a disconnected image', () => {
  let directory: TemporaryDirectory;
  let stage: Stage;
  beforeEach(async () => {
    directory = temporaryDirectory();
    // As root, the installer runs as another user: it enters the directory, and the fake writes its records beside itself.
    chmodSync(directory.path, 0o755);
    mkdirSync(join(directory.path, 'tools'));
    chmodSync(join(directory.path, 'tools'), 0o777);
    const installer = join(directory.path, 'tools/openshift-install');
    writeFileSync(installer, FAKE_INSTALLER);
    chmodSync(installer, 0o755);
    stage = await openStage(nats.url, {
      OPENSHIFT_INSTALL_PATH: installer,
      OPENSHIFT_INSTALL_USER_ID: `${INSTALLER_UID}`,
      WORK_DIR: join(directory.path, 'work'),
    });
  });
  afterEach(async () => {
    await stage.close();
    directory.remove();
  });

  const render = async (): Promise<IgnitionConfig> => {
    const context = { commandId: 'r', correlationId: 'r', actor: 'user' };
    const method = IgnitionService.method.renderDiscoveryIgnition;
    const input = { infraEnvId: INFRA_ENV_ID, isoType: 'disconnected-iso', withoutSecrets: false };
    const { ignition } = await callService(stage.platform.requests, method, input, context);
    return JSON.parse(Buffer.from(ignition, 'base64').toString()) as IgnitionConfig;
  };
  const refusal = async (): Promise<unknown> =>
    render().then(
      () => 'not refused',
      (error: unknown) => (error instanceof RefusalError ? error.refusal : error),
    );
  const textOf = (name: string): string => readFileSync(join(directory.path, 'tools', name), 'utf8');

  const givenImage = async (): Promise<void> => {
    await givenReadyCluster(stage);
    await stage.given('infraEnv', INFRA_ENV_ID, {
      type: 'InfraEnvSettingsRevised',
      data: { changes: { imageType: 'disconnected-iso', rendezvousIp: '192.0.2.5' }, pullSecretReplaced: false },
    });
  };

  it('is created by the installer of the release once for each input', async () => {
    await givenImage();
    const service = await stage.start();
    const first = await render();
    expect(readTextFile(first, '/etc/assisted/interactive-ui')).toBe('');
    expect(textOf('given')).toContain('rendezvousIP: 192.0.2.5');
    expect(textOf('given')).toContain('registry.appliance.openshift.com:5000');
    await service.close();
    await stage.start();
    expect(await render()).toEqual(first);
    expect(textOf('runs')).toBe('run\n');
  });

  const givenDocument = (text: string) => sealDocument(stage.platform.secrets, INFRA_ENV_ID, text);
  const givenSettings = async (changes: object): Promise<void> => {
    await givenImage();
    await stage.given('infraEnv', INFRA_ENV_ID, {
      type: 'InfraEnvSettingsRevised',
      data: { changes, pullSecretReplaced: false },
    });
    await stage.start();
  };

  it('contains the additional trust bundle', async () => {
    await givenSettings({ trustBundle: await givenDocument('PEM\n') });
    expect(readTextFile(await render(), TRUST_BUNDLE_PATH)).toBe('PEM\n');
    expect(textOf('given')).toContain('additionalTrustBundle');
  });

  it.each([
    [{ ntpSources: '', additionalNtpSources: 'ntp1.example.com' }, 'ntp1.example.com'],
    [{ ntpSources: 'ntp2.example.com', additionalNtpSources: 'ntp1.example.com' }, 'ntp2.example.com'],
    [{ additionalNtpSources: 'ntp1.example.com, ntp2.example.com' }, 'ntp1.example.com\\n +- ntp2.example.com'],
  ])('is created with the NTP sources of %j', async (settings, source) => {
    await givenSettings(settings);
    await render();
    expect(textOf('given')).toMatch(new RegExp(`additionalNTPSources:\\n +- ${source}\\n`));
  });

  it('contains the override of the infra-env', async () => {
    const file = { path: '/etc/site', contents: { source: 'data:,site' } };
    const override = JSON.stringify({ ignition: { version: '3.1.0' }, storage: { files: [file] } });
    await givenSettings({ ignitionConfigOverride: await givenDocument(override) });
    const document = await render();
    expect(readTextFile(document, '/etc/site')).toBe('site');
    expect(document.ignition.version).toBe('3.2.0');
  });

  it('returns the output of the installer when it fails', async () => {
    writeFileSync(join(directory.path, 'tools/fail'), '');
    await givenReadyCluster(stage);
    await stage.start();
    expect(await refusal()).toMatchObject({
      code: 'not-ready',
      reason: expect.stringContaining('no such release') as string,
    });
  });

  itAsRoot(
    'is created by a user of its own, and other installers can still enter the folder (needs root)',
    async () => {
      await givenImage();
      await stage.start();
      await render();
      expect(textOf('user')).toBe(`${INSTALLER_UID + 2}\n`);
      expect((statSync(join(directory.path, 'work')).mode & 0o777).toString(8)).toBe('711');
      expect(readdirSync(join(directory.path, 'work/unconfigured-ignition'))).toEqual([]);
    },
  );

  it.each([
    ['other.ign', /which is neither a file nor a folder/],
    ['noisy', /wrote more than 67108864 bytes of output/],
    ['empty', /did not create unconfigured-agent\.ign/],
  ])(
    'is refused when the installer leaves a link, writes too much output or creates nothing (%s)',
    async (kind, reason) => {
      writeFileSync(join(directory.path, 'tools', kind), '{"ignition":{"version":"3.2.0"}}');
      await givenReadyCluster(stage);
      await stage.start();
      expect(await refusal()).toMatchObject({ code: 'not-ready', reason: expect.stringMatching(reason) as string });
    },
  );

  it('leaves no secrets behind when the service stops meanwhile, and is created by its next start', async () => {
    writeFileSync(join(directory.path, 'tools/slow'), '');
    await givenImage();
    const service = await stage.start();
    const answer = refusal();
    await eventually('the installer runs', () => existsSync(join(directory.path, 'tools/started')));
    await service.close();
    expect(readdirSync(join(directory.path, 'work/unconfigured-ignition'))).toEqual([]);
    rmSync(join(directory.path, 'tools/slow'));
    await stage.start();
    expect(await answer).toBe('not refused');
  });

  it('requires a release image', async () => {
    await stage.platform.secrets.seal(INFRA_ENV_ID, 'pull-secret', Buffer.from('{"auths":{}}'));
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered({ clusterId: '' }));
    await stage.start();
    expect(await refusal()).toMatchObject({ code: 'not-found', subject: 'cluster_id' });
  });
});
