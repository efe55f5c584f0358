import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { DownloadProgress, ExtractedFile } from '@muster/ports';
import { INSTALLER_UID, type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { IGNORED_REPORT, keptInMemory, sampleInstallRequest } from '../sample-install-request.fixture.spec';
import { InstallerBinaries, type OpenRegistries, type OpenshiftInstallSettings } from './installer-binaries';
import { openshiftInstallToolchain } from './openshift-install-toolchain';

const RELEASES = ['quay.io/release:1', 'quay.io/release:2', 'quay.io/release:3'];

describe('installations that wait for the download of another release', () => {
  let directory: TemporaryDirectory;
  beforeEach(() => (directory = temporaryDirectory()));
  afterEach(() => directory.remove());

  const settings = (): OpenshiftInstallSettings => ({
    installerPath: undefined,
    releases: [],
    registries: { settings: undefined, mirrors: [], permittedMirrors: 'any' },
    workDirectory: join(directory.path, 'work'),
    certificatesDirectory: undefined,
    timeoutMs: 30_000,
    installerUserId: INSTALLER_UID,
    installerMemoryBytes: 8 * 1024 ** 3,
    proxyEnvironment: {},
  });
  /** Each release has a folder of its own, because the fake writes a record beside itself, as one of two users. */
  const written = (release: string, name: string, write: (path: string) => void): ExtractedFile => {
    const folder = join(directory.path, `release-${RELEASES.indexOf(release)}`);
    mkdirSync(folder, { recursive: true });
    for (const one of [directory.path, folder]) chmodSync(one, 0o777);
    write(join(folder, name));
    chmodSync(join(folder, name), 0o755);
    return { path: join(folder, name), wasCached: false };
  };
  const files: Readonly<Record<string, (release: string) => ExtractedFile>> = {
    'usr/bin/openshift-install': (release) =>
      written(release, 'openshift-install', (path) => copyFileSync(join(__dirname, 'fake-installer.fixture.sh'), path)),
    'release-manifests/image-references': (release) =>
      written(release, 'references', (path) => {
        const tags = [{ name: 'installer', from: { name: 'quay.io/installer@sha256:1' } }];
        writeFileSync(path, JSON.stringify({ kind: 'ImageStream', spec: { tags } }));
      }),
  };

  it('report its progress, because a preparation without progress times out', async () => {
    const opened: string[] = [];
    let letFirstEnd = (): void => undefined;
    const firstEnds = new Promise<void>((resolve) => (letFirstEnd = resolve));
    const open: OpenRegistries = ({ pullSecret }, onProgress) => {
      opened.push(pullSecret);
      return Promise.resolve({
        manifest: () => Promise.reject(new Error('not used')),
        architectures: () => Promise.reject(new Error('not used')),
        extractFile: async (_image, _architecture, path) => {
          if (path === 'usr/bin/openshift-install') {
            // All installations have been requested when the download progresses.
            await setImmediate();
            onProgress({ image: pullSecret, bytes: 1, totalBytes: 2 });
            if (pullSecret === RELEASES[0]) await firstEnds;
          }
          return files[path]?.(pullSecret) ?? { path: '/dev/null', wasCached: true };
        },
      });
    };
    const toolchain = openshiftInstallToolchain(settings(), new InstallerBinaries(settings(), open));
    const reported: DownloadProgress[][] = RELEASES.map(() => []);
    const installations = RELEASES.map((ocpReleaseImage, index) => {
      const sample = sampleInstallRequest();
      const order = {
        ...sample,
        clusterId: `cluster-${index}`,
        // Only the pull secret reaches the registry of this test.
        pullSecret: ocpReleaseImage,
        settings: { ...sample.settings, ocpReleaseImage },
      };
      const downloaded = (progress: DownloadProgress): void => void reported[index]?.push(progress);
      return toolchain.make(order, keptInMemory(), { ...IGNORED_REPORT, downloaded });
    });
    const images = () => reported.map((all) => all.map(({ image }) => image));
    while (reported[0]?.length === 0) await setImmediate();
    const [first, second] = RELEASES;
    expect(images()).toEqual([[first], [first], [first]]);
    expect(opened).toEqual([first]);

    letFirstEnd();
    await Promise.all(installations);
    expect(opened).toEqual(RELEASES);
    expect(images()).toEqual([[first], [first, second], RELEASES]);
  });
});
