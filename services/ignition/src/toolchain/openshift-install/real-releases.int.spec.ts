import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import {
  INSTALLER_UID,
  eventually,
  type NatsServer,
  startNatsServer,
  type TemporaryDirectory,
  temporaryDirectory,
} from '@muster/testing';
import {
  type Disturbance,
  hasRegistry,
  REGISTRY_CREDENTIALS,
  startTestRegistry,
  type TestRegistry,
} from '@muster/testing/registry';
import { SettingsReader } from '@muster/nest-kit';
import { type PushedRelease, pushRelease } from '@muster/testing/release-image';
import { CLUSTER_ID, givenReadyCluster, openStage, preparationStarted, type Stage } from '../../ignition.fixture.spec';
import { IGNORED_REPORT, keptInMemory, sampleInstallRequest } from '../sample-install-request.fixture.spec';
import { readOpenshiftInstallSettings } from './installer-binaries';
import { openshiftInstallToolchain } from './openshift-install-toolchain';

const QUAY = 'quay.io/openshift-release-dev';
const FAKE = readFileSync(join(__dirname, 'fake-installer.fixture.sh'), 'utf8');
/** Larger than 1 MiB, so that its download is reported. */
const installerCalled = (name: string): Buffer =>
  Buffer.from(`${FAKE}\nexit 0\n# ${name} ${randomBytes(1024 ** 2).toString('hex')}\n`);
const isMissing = !hasRegistry();
/** The architecture of this machine and another one, in the form of images. */
const [OWN, FOREIGN] = process.arch === 'arm64' ? ['arm64', 'amd64'] : ['amd64', 'arm64'];
/** The registry permits the next attempt immediately. */
const SOON = { 'retry-after': '0.001' };

(isMissing ? describe.skip : describe)(
  `the service with releases of a real registry${isMissing ? ' (skipped: without docker-registry)' : ''}`,
  () => {
    jest.setTimeout(120_000);
    let nats: NatsServer;
    let server: TestRegistry;
    let directory: TemporaryDirectory;
    let stage: Stage;
    let current: PushedRelease;
    let old: PushedRelease;
    let withoutInstaller: PushedRelease;
    let foreign: PushedRelease;

    beforeAll(async () => {
      nats = await startNatsServer();
      server = await startTestRegistry();
      const coreosVersion = '418.94.202501010000-0';
      const [installer, baremetalInstaller] = [installerCalled('standard'), installerCalled('baremetal')];
      const push = (version: string, parts: { readonly installer?: Buffer; readonly baremetalInstaller?: Buffer }) =>
        pushRelease(server, 'quay.io', { version, coreosVersion, architecture: OWN, ...parts });
      current = await push('4.18.3', { installer, baremetalInstaller });
      old = await push('4.15.40', { installer, baremetalInstaller });
      withoutInstaller = await push('4.18.4', {});
      foreign = await pushRelease(server, 'quay.io', {
        version: '4.18.3',
        coreosVersion: '418.94.202501020000-0',
        architecture: FOREIGN,
        installer: installerCalled('of another architecture'),
      });
    });
    afterAll(async () => {
      await server.stop();
      await nats.stop();
    });

    beforeEach(async () => {
      directory = temporaryDirectory();
      // As root, the installer runs as another user.
      chmodSync(directory.path, 0o755);
      const [conf, ca] = [join(directory.path, 'registries.conf'), join(directory.path, 'ca.pem')];
      writeFileSync(
        conf,
        `[[registry]]\nlocation = "${QUAY}"\nblocked = true\n[[registry.mirror]]\nlocation = "${server.host}/openshift-release-dev"\n`,
      );
      writeFileSync(ca, server.caPem);
      server.requests.splice(0);
      server.disturb = () => undefined;
      stage = await openStage(nats.url, {
        WORK_DIR: join(directory.path, 'work'),
        MIRROR_REGISTRIES_CONF_PATH: conf,
        MIRROR_REGISTRIES_CA_PATH: ca,
        RELEASE_IMAGES: JSON.stringify([
          { openshift_version: '4.18', version: '4.18.3', cpu_architecture: FOREIGN, url: `quay.io/${foreign.name}` },
          { openshift_version: '4.18', version: '4.18.3', cpu_architecture: OWN, url: `quay.io/${current.name}` },
        ]),
      });
      await givenReadyCluster(stage);
      await givenPullSecret({ [server.host]: { auth: REGISTRY_CREDENTIALS } });
    });
    afterEach(async () => {
      await stage.close();
      directory.remove();
    });

    const givenPullSecret = (auths: object): Promise<unknown> =>
      stage.platform.secrets.seal(CLUSTER_ID, 'pull-secret', Buffer.from(JSON.stringify({ auths })));
    const install = async ({ name }: { readonly name: string }, openshiftVersion: string): Promise<void> => {
      await stage.given('cluster', CLUSTER_ID, {
        type: 'ClusterSettingsRevised',
        data: { changes: { ocpReleaseImage: `quay.io/${name}`, openshiftVersion }, pullSecretReplaced: false },
      });
      await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
      await stage.start();
    };
    const failure = async (): Promise<string> => String((await stage.fact('ArtifactsFailed')).data.reason);

    it('prepares an installation with the installer of the release', async () => {
      await install(current, '4.18.3');
      expect((await stage.fact('ArtifactsPrepared')).data).toMatchObject({ toolchain: 'openshift-install' });
      expect((await stage.fact('ReleaseRead')).data).toEqual({
        clusterId: CLUSTER_ID,
        attempt: 1,
        releaseImage: `quay.io/${current.name}`,
        version: '4.18.3',
        machineConfigOperatorImage: current.components['machine-config-operator'],
        mustGatherImage: current.components['must-gather'],
        coreosImage: current.components['rhel-coreos'],
        coreosVersion: '418.94.202501010000-0',
        startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        installerWasCached: false,
        extractSeconds: expect.any(Number),
      });
      const progress = (await stage.factsOf('artifact', CLUSTER_ID)).filter(
        ({ type }) => type === 'ReleaseDownloadProgressed',
      );
      const last = progress.at(-1)?.data;
      expect(last).toMatchObject({ attempt: 1, image: current.components['installer'] });
      expect(last?.downloadedBytes).toBe(last?.totalBytes);
      expect(Number(last?.totalBytes)).toBeGreaterThan(1024 ** 2);
      const read = server.requests.filter((line) => line.includes('/manifests/'));
      expect(read.every((line) => line.startsWith('GET /v2/openshift-release-dev/'))).toBe(true);
    });

    const hasRead = (image = ''): boolean =>
      server.requests.some((line) => line.endsWith(`/manifests/${image.split('@')[1]}`));

    it('runs the installer of the same version for its own architecture', async () => {
      await install(foreign, '4.18.3');
      await stage.fact('ArtifactsPrepared');
      expect((await stage.fact('ReleaseRead')).data).toMatchObject({
        releaseImage: `quay.io/${foreign.name}`,
        machineConfigOperatorImage: foreign.components['machine-config-operator'],
        mustGatherImage: foreign.components['must-gather'],
        coreosVersion: '418.94.202501020000-0',
      });
      expect(hasRead(current.components['installer'])).toBe(true);
      expect(hasRead(foreign.components['installer'])).toBe(false);
    });

    it('fails the preparation for an image of another architecture that RELEASE_IMAGES does not name', async () => {
      await install({ name: foreign.name.replace(/:.*/, `@${foreign.digest}`) }, '4.18.3');
      expect(await failure()).toContain(`: it is for ${FOREIGN} and not for ${OWN}. Choose a release`);
    });

    it('reads the release from the mirrors of the cluster with its trust bundle', async () => {
      const idms = [
        'apiVersion: config.openshift.io/v1',
        'kind: ImageDigestMirrorSet',
        'metadata: { name: mirrors }',
        `spec: { imageDigestMirrors: [{ source: ${QUAY}, mirrorSourcePolicy: NeverContactSource, mirrors: ["${server.host}/openshift-release-dev"] }] }`,
      ].join('\n');
      const settings = readOpenshiftInstallSettings(
        new SettingsReader({ WORK_DIR: join(directory.path, 'own'), OPENSHIFT_INSTALL_USER_ID: `${INSTALLER_UID}` }),
        { settings: undefined, mirrors: [], permittedMirrors: [server.host] },
      );
      const sample = sampleInstallRequest();
      const order = {
        ...sample,
        settings: { ...sample.settings, ocpReleaseImage: `quay.io/${current.name}` },
        manifests: [{ folder: 'openshift', fileName: 'idms.yaml', content: idms } as const],
        pullSecret: JSON.stringify({ auths: { [server.host]: { auth: REGISTRY_CREDENTIALS } } }),
        additionalTrustBundle: server.caPem,
      };
      const made = await openshiftInstallToolchain(settings).make(order, keptInMemory(), IGNORED_REPORT);
      expect(made.artifacts.map(({ name }) => name)).toContain('bootstrap.ign');
    });

    it('uses the installer for bare metal before 4.16', async () => {
      await install(old, '4.15.40');
      await stage.fact('ArtifactsPrepared');
      expect(hasRead(old.components['baremetal-installer'])).toBe(true);
    });

    it('continues an interrupted download', async () => {
      let breaks = 1;
      server.disturb = (path) => (path.includes('/blobs/') && breaks-- > 0 ? { cutAfterBytes: 10 } : undefined);
      await install(current, '4.18.3');
      await stage.fact('ArtifactsPrepared');
    });

    const everything = (): boolean => true;
    const blobs = (path: string): boolean => path.includes('/blobs/');
    it.each<[string, (path: string) => boolean, Disturbance, RegExp, RegExp]>([
      [
        'does not accept the credentials',
        everything,
        { status: 401 },
        /does not accept the credentials of the pull secret \(401/,
        /Add credentials for .* to the pull secret of the cluster, and start the installation again\.$/,
      ],
      [
        'forbids the image',
        everything,
        { status: 403 },
        /may not read it \(403/,
        /Add credentials for .* to the pull secret/,
      ],
      [
        'does not have the image',
        everything,
        { status: 404 },
        /does not have it \(404/,
        /Check the release image and, with a mirror, that the mirror has it/,
      ],
      [
        'limits requests',
        everything,
        { status: 429, headers: SOON },
        /received too many requests \(429/,
        /accepts requests again, or use a mirror/,
      ],
      ['fails', everything, { status: 503, headers: SOON }, /the registry failed \(503/, /Check .*, or use a mirror/],
      [
        'sends other bytes than the digest says',
        blobs,
        { isFlipped: true },
        /the digest of the bytes is [0-9a-f]{64} and not [0-9a-f]{64}/,
        /delete it there and push the release again/,
      ],
      [
        'sends a manifest that is cut off',
        (path) => path.includes('/manifests/sha256:'),
        { isFlipped: true },
        /the digest of the manifest is sha256:/,
        /delete it there and push the release again/,
      ],
      [
        'ends each download early',
        blobs,
        { cutAfterBytes: 10 },
        /aborted|ended after/,
        /Check that the service reaches .*, and its proxy/,
      ],
    ])('fails the preparation with a remedy when the registry %s', async (_, isMeant, disturbance, reason, remedy) => {
      server.disturb = (path) => (isMeant(path) ? disturbance : undefined);
      await install(current, '4.18.3');
      const text = await failure();
      expect(text).toMatch(
        /^The installer of release quay\.io\/openshift-release-dev\/ocp-release:4\.18\.3-x86_64 cannot be read/,
      );
      expect(text).toContain(server.host);
      expect(text).toMatch(reason);
      expect(text).toMatch(remedy);
    });

    it('fails the preparation with a remedy for a release without an installer', async () => {
      await install(withoutInstaller, '4.18.4');
      const text = await failure();
      expect(text).toMatch(
        /the release 4\.18\.4 has no component installer; it has machine-config-operator, must-gather/,
      );
      expect(text).toMatch(/Choose a release that has an installer for bare metal, or set OPENSHIFT_INSTALL_PATH/);
    });

    it('fails the preparation when the certificate of the registry is not trusted', async () => {
      writeFileSync(join(directory.path, 'ca.pem'), String(rootCertificates[0]));
      await install(current, '4.18.3');
      expect(await failure()).toMatch(
        /self-signed certificate.*Add the certificate authority of .*additional_trust_bundle/s,
      );
    });

    it('prepares again after the fault was removed and the installation was started again', async () => {
      server.disturb = () => ({ status: 404 });
      await install(current, '4.18.3');
      await failure();
      server.disturb = () => undefined;
      await stage.given('cluster', CLUSTER_ID, ...preparationStarted(2));
      await eventually('the second attempt', async () =>
        (await stage.factsOf('artifact', CLUSTER_ID)).some(({ type }) => type === 'ArtifactsPrepared'),
      );
    });
  },
);
