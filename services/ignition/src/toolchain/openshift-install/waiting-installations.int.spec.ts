import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DocumentWorkers } from '@muster/nest-kit';
import type { ExtractedFile } from '@muster/ports';
import { eventually, INSTALLER_UID, type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { IGNORED_REPORT, keptInMemory, sampleInstallRequest } from '../sample-install-request.fixture.spec';
import type { QueuedWork } from '../toolchain.port';
import { InstallerBinaries, type OpenRegistries, type OpenshiftInstallSettings } from './installer-binaries';
import { openshiftInstallToolchain } from './openshift-install-toolchain';

const RELEASES = ['quay.io/release:1', 'quay.io/release:2', 'quay.io/release:3'];

describe('installations that wait', () => {
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

  it.each([
    ['has run', true],
    ['cannot be read', false],
  ])('keep an installer in the cache until it %s', async (_, isMade) => {
    const ended: boolean[] = [];
    const [release = ''] = RELEASES;
    const installer = join(directory.path, 'release-0', 'openshift-install');
    const open: OpenRegistries = () =>
      Promise.resolve({
        manifest: () => Promise.reject(new Error('not used')),
        architectures: () => Promise.reject(new Error('not used')),
        extractFile: async (_image, _architecture, path) => {
          const file = files[path]?.(release) ?? { path: '/dev/null', wasCached: true };
          if (!isMade) throw new Error('not readable');
          return file;
        },
        // The cache removes a file that is not used.
        endUse: () => {
          ended.push(existsSync(installer));
          rmSync(installer, { force: true });
        },
      });
    const toolchain = openshiftInstallToolchain(settings(), new InstallerBinaries(settings(), open));
    const made = toolchain.make(sampleInstallRequest(), keptInMemory(), IGNORED_REPORT);
    const result = await made.then(
      ({ artifacts }) => artifacts.some(({ name }) => name === 'bootstrap.ign'),
      () => false,
    );
    expect({ isMade: result, ended }).toEqual({ isMade, ended: [isMade] });
  });

  it('do not wait for the registry of another release, which sends nothing', async () => {
    const stopped = new AbortController();
    const open: OpenRegistries = ({ pullSecret }) =>
      Promise.resolve({
        manifest: () => Promise.reject(new Error('not used')),
        architectures: () => Promise.reject(new Error('not used')),
        extractFile: async (_image, _architecture, path, signal) => {
          // The registry of the first release sends nothing.
          if (pullSecret === RELEASES[0] && !signal.aborted) await once(signal, 'abort');
          return files[path]?.(pullSecret) ?? { path: '/dev/null', wasCached: true };
        },
      });
    const toolchain = openshiftInstallToolchain(settings(), new InstallerBinaries(settings(), open));
    const [first, ...others] = RELEASES.map((ocpReleaseImage, index) => {
      const sample = sampleInstallRequest();
      const order = {
        ...sample,
        clusterId: `cluster-${index}`,
        // Only the pull secret reaches the registry of this test.
        pullSecret: ocpReleaseImage,
        settings: { ...sample.settings, ocpReleaseImage },
      };
      return toolchain.make(order, keptInMemory(), { ...IGNORED_REPORT, signal: stopped.signal });
    });
    for (const made of await Promise.all(others))
      expect(made.artifacts.map(({ name }) => name)).toContain('bootstrap.ign');
    stopped.abort();
    await expect(first).rejects.toThrow('This operation was aborted');
  });

  it('end together with the installers that run when they are no longer wanted', async () => {
    const stopped = new AbortController();
    chmodSync(directory.path, 0o777);
    const runs = join(directory.path, 'runs');
    const installerPath = join(directory.path, 'openshift-install');
    writeFileSync(installerPath, `#!/bin/sh\necho run >>${runs}\nchmod 666 ${runs}\nexec sleep 600\n`, { mode: 0o755 });
    const toolchain = openshiftInstallToolchain({ ...settings(), installerPath, timeoutMs: 600_000 });
    const made = RELEASES.map((_, index) =>
      toolchain.make({ ...sampleInstallRequest(), clusterId: `cluster-${index}` }, keptInMemory(), {
        ...IGNORED_REPORT,
        signal: stopped.signal,
      }),
    );
    const ended = Promise.allSettled(made);
    const count = (): number => (existsSync(runs) ? readFileSync(runs, 'utf8').split('\n').length - 1 : 0);
    await eventually('two installers run', () => count() === 2);
    stopped.abort();
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(count()).toBe(2);
    expect(readdirSync(join(directory.path, 'work', 'install-config-generate'))).toEqual([]);
  });

  it('report their place in the queue until their turn comes', async () => {
    const stopped = new AbortController();
    chmodSync(directory.path, 0o777);
    const installerPath = join(directory.path, 'openshift-install');
    writeFileSync(installerPath, '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
    const used = { ...settings(), installerPath, timeoutMs: 600_000 };
    const toolchain = openshiftInstallToolchain(used, new InstallerBinaries(used), DocumentWorkers.create(), 10);
    const reports = new Map<string, QueuedWork[]>();
    const ends = new Map<string, AbortController>();
    const ended = ['cluster-0', 'cluster-1', 'cluster-2', 'cluster-3'].map((clusterId) => {
      const [own, end] = [new Array<QueuedWork>(), new AbortController()];
      reports.set(clusterId, own);
      ends.set(clusterId, end);
      const signal = AbortSignal.any([stopped.signal, end.signal]);
      const report = { ...IGNORED_REPORT, signal, queued: (wait: QueuedWork) => void own.push(wait) };
      return toolchain.make({ ...sampleInstallRequest(), clusterId }, keptInMemory(), report).catch(() => undefined);
    });
    const of = (clusterId: string): readonly QueuedWork[] => reports.get(clusterId) ?? [];
    await eventually('both wait', () => of('cluster-2').length > 1 && of('cluster-3').length > 1);
    expect(of('cluster-2').slice(0, 2)).toEqual([
      { minute: 1, ahead: 2 },
      { minute: 2, ahead: 2 },
    ]);
    expect(of('cluster-3').slice(0, 2)).toEqual([
      { minute: 1, ahead: 3 },
      { minute: 2, ahead: 3 },
    ]);
    ends.get('cluster-0')?.abort();
    await eventually('the last one moves up', () => of('cluster-3').at(-1)?.ahead === 2);
    const running = of('cluster-2').length;
    const waiting = of('cluster-3').length;
    await eventually('the last one still waits', () => of('cluster-3').length > waiting + 2);
    stopped.abort();
    await Promise.all(ended);
    expect([of('cluster-0'), of('cluster-1'), of('cluster-2').length]).toEqual([[], [], running]);
  });

  it('do not wait for an installer that hangs while another one can run', async () => {
    const stopped = new AbortController();
    chmodSync(directory.path, 0o777);
    const fake = join(directory.path, 'fake-installer');
    copyFileSync(join(__dirname, 'fake-installer.fixture.sh'), fake);
    chmodSync(fake, 0o755);
    const installerPath = join(directory.path, 'openshift-install');
    const script = `#!/bin/sh\ncase "$PWD" in *cluster-0) exec sleep 600 ;; esac\nexec ${fake} "$@"\n`;
    writeFileSync(installerPath, script, { mode: 0o755 });
    const toolchain = openshiftInstallToolchain({ ...settings(), installerPath, timeoutMs: 600_000 });
    const [hanging, ...others] = RELEASES.map((_, index) =>
      toolchain.make({ ...sampleInstallRequest(), clusterId: `cluster-${index}` }, keptInMemory(), {
        ...IGNORED_REPORT,
        signal: stopped.signal,
      }),
    );
    for (const made of await Promise.all(others))
      expect(made.artifacts.map(({ name }) => name)).toContain('bootstrap.ign');
    stopped.abort();
    await expect(hanging).rejects.toThrow('it is no longer wanted');
  });
});
