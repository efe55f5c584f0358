import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createBaseImage } from '@muster/base-image';
import { freePort, SERVICES, type StartableService } from '@muster/service-muster';
import { type NatsServer, needsServer, startNatsServer, temporaryDirectory } from '@muster/testing';
import { ServiceProcess } from './muster-process';
import { COMPACT, eventsOf, expectOneHistory, killInTurn, KILLS_SEED } from './one-history.fixture.spec';
import { RestClient } from './rest-client';
import { installCluster } from './scenario';

const TIME_SCALE = 150;
/** The image service is not killed: the simulator treats a broken download as a machine that does not boot. */
const KILLED: readonly StartableService[] = [
  'registration',
  'events',
  'validation',
  'inventory',
  'ignition',
  'gateway',
  'registration',
  'events',
];

needsServer('MONGODB_URL', 'mongodb://127.0.0.1:27017', 'seven services, each in a separate process', (mongo) => {
  jest.setTimeout(480_000);
  const directory = temporaryDirectory();
  let nats: NatsServer;
  const processes = new Map<StartableService, ServiceProcess>();
  let restUrl = '';

  beforeAll(async () => {
    nats = await startNatsServer();
    const iso = join(directory.path, 'images', 'base.iso');
    await mkdir(join(directory.path, 'images'));
    await createBaseImage({ outPath: iso });
    const [restPort, imagePort] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
    restUrl = `http://127.0.0.1:${restPort}`;
    const database = `muster_separate_${process.pid}_${Date.now()}`;
    const settings = {
      MUSTER_DATA_DIRECTORY: directory.path,
      NATS_URL: nats.url,
      MONGODB_URL: new URL(database, mongo.endsWith('/') ? mongo : `${mongo}/`).href,
      OS_IMAGES: JSON.stringify([
        {
          openshift_version: '4.18',
          cpu_architecture: 'x86_64',
          version: '418.94.202501010000-0',
          url: `file://${iso}`,
        },
      ]),
      RELEASE_IMAGES: JSON.stringify([
        {
          openshift_version: '4.18',
          cpu_architecture: 'x86_64',
          version: '4.18.52',
          url: 'quay.io/openshift-release-dev/ocp-release:4.18.52-x86_64',
          simulated: true,
        },
      ]),
      REST_HOST: '127.0.0.1',
      REST_PORT: String(restPort),
      IMAGE_HOST: '127.0.0.1',
      IMAGE_PORT: String(imagePort),
      SERVICE_BASE_URL: restUrl,
      IMAGE_SERVICE_BASE_URL: `http://127.0.0.1:${imagePort}`,
    };
    for (const service of Object.keys(SERVICES) as StartableService[])
      processes.set(service, new ServiceProcess(service, settings));
    await Promise.all([...processes.values()].map((one) => one.start()));
  });
  afterAll(async () => {
    await Promise.all([...processes.values()].map((one) => one.end('SIGTERM')));
    await nats.stop();
    directory.remove();
  });

  it(`install a cluster without lost or repeated events while each service is killed in turn (MUSTER_PROPERTY_SEED=${KILLS_SEED})`, async () => {
    let isDone = false;
    const killed: StartableService[] = [];
    const hasEnded = (): boolean => isDone;
    const killer = killInTurn(KILLED, restUrl, hasEnded, async (service) => {
      await processes.get(service)?.end('SIGKILL');
      await processes.get(service)?.start();
      killed.push(service);
    });
    const installed = await installCluster(COMPACT, {
      client: new RestClient(restUrl),
      timeScale: TIME_SCALE,
      seed: 'separate',
      outputDirectory: directory.path,
      tell: () => undefined,
      onLook: () => undefined,
    }).finally(async () => {
      isDone = true;
      await killer;
    });
    // Every service that makes decisions was killed at least once; otherwise the test proves nothing.
    expect(killed).toEqual(KILLED);
    expect(installed.firstSeenMs.has('installed')).toBe(true);
    expectOneHistory(await eventsOf(directory.path), COMPACT.machines.length);
  });
});
