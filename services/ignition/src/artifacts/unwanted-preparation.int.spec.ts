import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { MusterEvent } from '@muster/contracts';
import { portOf, ReactorHost, type RunningService, type startMicroservice } from '@muster/nest-kit';
import {
  eventually,
  type NatsServer,
  startNatsServer,
  type TemporaryDirectory,
  temporaryDirectory,
} from '@muster/testing';
import {
  CLUSTER_ID,
  enteredStatus,
  givenReadyCluster,
  openStage,
  preparationStarted,
  type Stage,
} from '../ignition.fixture.spec';
import { ArtifactsProcess } from './artifacts-process';

/** Sealed by an attempt for its repetition. */
const KEPT = 'artifacts/1/cluster-pki/kept';

describe('a preparation that reads a release from a registry that sends nothing', () => {
  let nats: NatsServer;
  let directory: TemporaryDirectory;
  let registry: Server;
  let connections: Socket[];
  let stage: Stage;
  let service: RunningService;
  beforeAll(async () => {
    nats = await startNatsServer();
  });
  afterAll(() => nats.stop());
  beforeEach(async () => {
    directory = temporaryDirectory();
    connections = [];
    registry = createServer((socket) => connections.push(socket.on('error', () => undefined).resume()));
    await once(registry.listen(0, '127.0.0.1'), 'listening');
    stage = await openStage(nats.url, { WORK_DIR: join(directory.path, 'work') });
    await givenReadyCluster(stage);
    await stage.given('cluster', CLUSTER_ID, {
      type: 'ClusterSettingsRevised',
      data: { changes: { ocpReleaseImage: `127.0.0.1:${portOf(registry)}/release:1` }, pullSecretReplaced: false },
    });
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    service = await stage.start();
    await eventually('the service connects', () => connections.length === 1);
  });
  afterEach(async () => {
    for (const connection of connections) connection.destroy();
    registry.close();
    await stage.close();
    directory.remove();
  });

  const keptBytes = async () => (await stage.platform.secrets.open(CLUSTER_ID, KEPT))?.length;

  it.each<[string, MusterEvent]>([
    ['the cluster returns to ready', enteredStatus('ready', 'preparing-for-installation')],
    ['the cluster is deregistered', { type: 'ClusterDeregistered', data: { at: '' } }],
  ])('ends without a result when %s', async (_, event) => {
    await stage.platform.secrets.seal(CLUSTER_ID, KEPT, Buffer.from('key'));
    await stage.given('cluster', CLUSTER_ID, event);
    await eventually('the connection ends', () => connections.every(({ closed }) => closed));
    await eventually('its secrets are destroyed', async () => !(await keptBytes()));
    expect(await stage.factsOf('artifact', CLUSTER_ID)).toEqual([]);
  });

  it('continues with the next attempt when the installation is started again', async () => {
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted(2));
    await eventually('the service connects again', () => connections.length === 2);
    await eventually('the first connection ends', () => connections[0]?.closed === true);
    expect(await stage.factsOf('artifact', CLUSTER_ID)).toEqual([]);
  });

  it('does not begin again while the service stops, also when an event makes its cluster due', async () => {
    const { app } = service as Awaited<ReturnType<typeof startMicroservice>>;
    app.get(ArtifactsProcess).beforeApplicationShutdown();
    await eventually('the connection ends', () => connections.every(({ closed }) => closed));
    const progress = { clusterId: CLUSTER_ID, attempt: 1, image: 'release', downloadedBytes: 1, totalBytes: 2 };
    await stage.given('artifact', CLUSTER_ID, { type: 'ReleaseDownloadProgressed', data: progress });
    await app.get(ReactorHost).followed(await stage.platform.eventStore.head());
    expect(connections).toHaveLength(1);
  });

  it('is repeated after a restart of the service', async () => {
    await stage.platform.secrets.seal(CLUSTER_ID, KEPT, Buffer.from('key'));
    await service.close();
    await eventually('the connection ends', () => connections.every(({ closed }) => closed));
    expect(await stage.factsOf('artifact', CLUSTER_ID)).toEqual([]);
    await stage.start();
    await eventually('the service connects again', () => connections.length === 2);
    expect(await keptBytes()).toBe('key'.length);
  });
});
