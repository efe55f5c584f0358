import { chmodSync, copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MusterEvent } from '@muster/contracts';
import { type IgnitionConfig, readTextFile } from '@muster/ignition-config';
import type { Platform } from '@muster/nest-kit';
import { type EventStore, NO_STREAM, type RecordedEvent } from '@muster/ports';
import {
  INSTALLER_UID,
  eventually,
  type NatsServer,
  startNatsServer,
  type TemporaryDirectory,
  temporaryDirectory,
} from '@muster/testing';
import {
  CLUSTER_ID,
  givenReadyCluster,
  hostRegistered,
  INFRA_ENV_ID,
  inventoryReported,
  openStage,
  preparationStarted,
  readArtifact,
  type Stage,
} from '../ignition.fixture.spec';
import { builtinToolchain } from '../toolchain/builtin-toolchain';

let nats: NatsServer;
beforeAll(async () => {
  nats = await startNatsServer();
});
afterAll(() => nats.stop());

const KEPT = 'artifacts/1/cluster-pki/kept';

/** The process ends at its n-th durable step (counted from 1). That step and all later ones do not happen. */
function dyingAt(
  step: number,
  platform: Platform,
): { readonly ports: Partial<Platform>; readonly isDead: () => boolean } {
  let taken = 0;
  const guarded = <Args extends unknown[], Result>(act: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      taken += 1;
      if (taken >= step) throw new Error('the process is dead');
      return act(...args);
    };
  };
  const { secrets, objectStore, eventStore } = platform;
  const dying: EventStore = { ...eventStore, append: guarded(eventStore.append.bind(eventStore)) };
  return {
    ports: {
      secrets: { ...secrets, seal: guarded(secrets.seal.bind(secrets)) },
      objectStore: { ...objectStore, put: guarded(objectStore.put.bind(objectStore)) },
      eventStore: dying,
    },
    isDead: () => taken >= step,
  };
}

/**
 * Three sealed secrets, eleven artifacts, five manifests of the service, their append, and the append of the artifacts.
 */
const STEPS = 21;

describe('an interrupted preparation', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage(nats.url);
    await givenReadyCluster(stage);
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
  });
  afterEach(() => stage.close());

  it.each(Array.from({ length: STEPS }, (_, index) => index + 1))(
    'at durable step %i is completed by the next start with the same keys',
    async (step) => {
      const { ports, isDead } = dyingAt(step, stage.platform);
      const service = await stage.start(ports);
      await eventually('the process dies', isDead);
      await service.close();
      expect(await prepared()).toEqual([]);
      const keysBefore = await stage.platform.secrets.open(CLUSTER_ID, KEPT);
      expect(keysBefore !== undefined).toBe(step > 1);

      await stage.start();
      await stage.fact('ArtifactsPrepared');
      const keysAfter = await stage.platform.secrets.open(CLUSTER_ID, KEPT);
      if (keysBefore) expect(keysAfter?.equals(keysBefore)).toBe(true);
      expect(await prepared()).toEqual([1]);
    },
  );

  it('has no further step', async () => {
    const { ports, isDead } = dyingAt(STEPS + 1, stage.platform);
    await stage.start(ports);
    await stage.fact('ArtifactsPrepared');
    expect(isDead()).toBe(false);
  });

  it('is not repeated after its result is stored, independently of the number of starts', async () => {
    await (await startAndPrepare()).close();
    await (await stage.start()).close();
    await stage.start();
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted(2));
    await eventually('the second attempt is prepared', async () => (await prepared()).includes(2));
    expect(await prepared()).toEqual([1, 2]);
  });
  const startAndPrepare = async () => {
    const service = await stage.start();
    await stage.fact('ArtifactsPrepared');
    return service;
  };
  const prepared = async () =>
    (await stage.factsOf('artifact', CLUSTER_ID))
      .filter(({ type }) => type === 'ArtifactsPrepared')
      .map(({ data }) => Number(data.attempt));

  it('creates the same bytes again from the stream and the sealed values', async () => {
    await stage.start();
    const first = await stage.fact('ArtifactsPrepared');
    const again = await openStage(nats.url);
    try {
      for (const name of ['pull-secret', ...builtinToolchain().keptSecrets.map((kept) => `artifacts/1/${kept}/kept`)]) {
        const sealed = await stage.platform.secrets.open(CLUSTER_ID, name);
        if (sealed) await again.platform.secrets.seal(CLUSTER_ID, name, sealed);
      }
      await copyHistory(stage.platform.eventStore, again.platform.eventStore);
      await again.start();
      const second = await again.fact('ArtifactsPrepared');
      expect(second.data).toEqual(first.data);
      expect(await sealedOf(second, again)).toEqual(await sealedOf(first, stage));
    } finally {
      await again.close();
    }
  });
});

describe('an interrupted preparation with the installer of the release', () => {
  let directory: TemporaryDirectory;
  let stage: Stage;
  beforeEach(async () => {
    directory = temporaryDirectory();
    // As root, the installer runs as another user, and the fake installer writes a record beside itself.
    chmodSync(directory.path, 0o777);
    const installer = join(directory.path, 'openshift-install');
    copyFileSync(join(__dirname, '..', 'toolchain', 'openshift-install', 'fake-installer.fixture.sh'), installer);
    chmodSync(installer, 0o755);
    stage = await openStage(nats.url, {
      INSTALL_TOOLCHAIN: 'openshift-install',
      OPENSHIFT_INSTALL_PATH: installer,
      OPENSHIFT_INSTALL_USER_ID: `${INSTALLER_UID}`,
      WORK_DIR: join(directory.path, 'work'),
    });
    await givenReadyCluster(stage);
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
  });
  afterEach(async () => {
    await stage.close();
    directory.remove();
  });

  // The output is sealed first, and the event is stored last.
  it.each([
    [1, 2],
    [2, 1],
    [8, 1],
    [13, 1],
  ])('at durable step %i is completed after %i run(s) of the installer', async (step, runs) => {
    const { ports, isDead } = dyingAt(step, stage.platform);
    const service = await stage.start(ports);
    await eventually('the process dies', isDead);
    await service.close();
    const before = runsOf(directory);
    await stage.start();
    expect((await stage.fact('ArtifactsPrepared')).data).toMatchObject({ toolchain: 'openshift-install' });
    // Before it was closed, the process may have repeated the run, but only if nothing was sealed.
    expect(runsOf(directory) - before).toBe(runs - 1);
  });
});

/** The artifacts of 1,000 hosts are created twice. */
const LARGE_TIMEOUT_MS = 120_000;

describe('an interrupted preparation of a large cluster', () => {
  const HOSTS = 1_000;
  const idOf = (n: number): string => `e${String(n).padStart(7, '0')}-0000-4000-8000-000000000003`;
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage(nats.url);
    await givenReadyCluster(stage);
    for (let n = 0; n < HOSTS; n += 1) {
      const renamed: MusterEvent = { type: 'HostRenamed', data: { requestedHostname: `large-${n}` } };
      await stage.given('host', `${INFRA_ENV_ID}.${idOf(n)}`, hostRegistered(idOf(n), 'worker'), renamed);
      await stage.given('inventory', `${INFRA_ENV_ID}.${idOf(n)}`, inventoryReported(n));
    }
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
  });
  afterEach(() => stage.close());

  it(
    'between two appends of its artifacts is completed by the next start',
    async () => {
      const { eventStore } = stage.platform;
      let isDead = false;
      const append: EventStore['append'] = async (streamId, ...rest) => {
        isDead ||= streamId.startsWith('artifact-') && (await typesOf()).length > 0;
        if (isDead) throw new Error('the process is dead');
        return eventStore.append(streamId, ...rest);
      };
      const service = await stage.start({ eventStore: { ...eventStore, append } });
      await eventually('the process dies', () => isDead);
      await service.close();
      expect(await typesOf()).toEqual(['ArtifactsStored']);

      await stage.start();
      await stage.fact('ArtifactsPrepared');
      expect(await typesOf()).toEqual(['ArtifactsStored', 'ArtifactsPrepared']);
      for (const n of [0, HOSTS - 1]) {
        const config = JSON.parse(await readArtifact(stage, `worker-${idOf(n)}.ign`)) as IgnitionConfig;
        expect(readTextFile(config, '/etc/hostname')).toBe(`large-${n}`);
      }
      expect(await readArtifact(stage, 'kubeconfig-noingress')).toContain('clusters');
    },
    LARGE_TIMEOUT_MS,
  );
  const typesOf = async () => (await stage.factsOf('artifact', CLUSTER_ID)).map(({ type }) => type);
});

const runsOf = ({ path }: TemporaryDirectory): number =>
  readFileSync(join(path, 'record'), 'utf8').split('create ignition-configs').length - 1;

/** Copies all stored events in order, without those of this service. */
async function copyHistory(from: EventStore, to: EventStore): Promise<void> {
  const revisions = new Map<string, number>();
  for await (const page of from.readAll(-1)) {
    for (const { streamId, id, type, data, metadata } of page) {
      if (/^(artifact|manifest)-/.test(streamId)) continue;
      const revision = revisions.get(streamId) ?? NO_STREAM;
      await to.append(streamId, revision, [{ id, type, data, metadata }]);
      revisions.set(streamId, revision + 1);
    }
  }
}

async function sealedOf({ data }: RecordedEvent, { platform }: Stage): Promise<readonly (readonly [string, string])[]> {
  const { artifacts } = data as unknown as { readonly artifacts: readonly { name: string; sealed: boolean }[] };
  const sealed = artifacts.filter((artifact) => artifact.sealed);
  return Promise.all(
    sealed.map(async ({ name }) => {
      const content = await platform.secrets.open(CLUSTER_ID, `artifacts/1/${name}`);
      return [name, content?.toString() ?? 'missing'] as const;
    }),
  );
}
