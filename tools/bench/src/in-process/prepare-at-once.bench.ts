import { randomUUID } from 'node:crypto';
import {
  inMemoryEventStore,
  inMemoryObjectAreas,
  inMemoryObjectStore,
  inMemoryReadModels,
  inMemorySecrets,
  inMemoryStateStore,
} from '@muster/adapter-in-memory';
import { connectNatsRequests } from '@muster/adapter-nats';
import { type MusterEvent, type StreamCategory, streamIdOf, toStoredData, parseEvent } from '@muster/contracts';
import { SavedStates } from '@muster/event-sourcing';
import type { Platform } from '@muster/nest-kit';
import { type EventStore, type JsonObject, NO_STREAM } from '@muster/ports';
import { startIgnition } from '@muster/service-ignition';
import { startNatsServer, registeredClusterData } from '@muster/testing';
import { type Bench, kibibytes, seconds } from '../measurement';
import { withResidentPeak } from './artifacts.bench';

const CLUSTERS = 100;
const HOSTS_PER_CLUSTER = 3;
const LOOK_AGAIN_MS = 20;
const TIMEOUT_MS = 300_000;
const AT = '2026-01-02T03:04:05.000Z';
const OWNER = { userName: 'bench', orgId: '', emailDomain: '' };
const quiet = (): void => undefined;
/** A simulated release: its artifacts are created without the installer of the release. */
const RELEASE = {
  openshift_version: '4.18',
  cpu_architecture: 'x86_64',
  version: '4.18.3',
  url: 'quay.io/ocp:4.18.3',
  simulated: true,
};

/**
 * An ignition service that finds many requested installations when it starts. Its ports are in memory, so that only its
 * own work is measured.
 */
export const prepareAtOnce: Bench = {
  name: 'preparing',
  about: `${CLUSTERS} clusters that prepare their installation at once`,
  run: async (bed) => {
    const clusters = bed.isQuick ? 10 : CLUSTERS;
    const nats = await startNatsServer();
    const requests = await connectNatsRequests({ servers: nats.url, name: 'bench' });
    const eventStore = inMemoryEventStore();
    const platform: Platform = {
      eventStore,
      states: new SavedStates(inMemoryStateStore(), eventStore, (error) => bed.tell(error.message)),
      readModels: inMemoryReadModels(),
      objectStore: inMemoryObjectStore(),
      logs: inMemoryObjectAreas(),
      secrets: inMemorySecrets(),
      requests,
      clock: { nowMs: () => Date.now() },
      ids: { uuid: () => randomUUID() },
      environment: { RELEASE_IMAGES: JSON.stringify([RELEASE]) },
    };
    const ids = Array.from({ length: clusters }, () => randomUUID());
    for (const id of ids) await givePreparing(platform, id);
    try {
      const startedMs = performance.now();
      const { result: service, bytes } = await withResidentPeak(async () => {
        const started = await startIgnition(platform, { log: quiet, warn: quiet, error: quiet });
        for (const id of ids) await untilPrepared(platform.eventStore, id);
        return started;
      });
      const ms = performance.now() - startedMs;
      await service.close();
      return [
        {
          what: `${clusters} clusters of ${HOSTS_PER_CLUSTER} hosts preparing at once`,
          measured: `${seconds(ms)}, ${kibibytes(bytes)} more resident at most`,
          budget: '',
        },
      ];
    } finally {
      await requests.close();
      await nats.stop();
    }
  },
};

async function untilPrepared(store: EventStore, clusterId: string): Promise<void> {
  for (const giveUpAt = Date.now() + TIMEOUT_MS; Date.now() < giveUpAt;) {
    for await (const page of store.readStream(streamIdOf('artifact', clusterId))) {
      const failed = page.find(({ type }) => type === 'ArtifactsFailed');
      if (failed) throw new Error(String(failed.data.reason));
      if (page.some(({ type }) => type === 'ArtifactsPrepared')) return;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new Error(`Cluster ${clusterId} is not prepared after ${TIMEOUT_MS / 1_000} s.`);
}

async function givePreparing({ eventStore, secrets }: Platform, clusterId: string): Promise<void> {
  const infraEnvId = randomUUID();
  const hostIds = Array.from({ length: HOSTS_PER_CLUSTER }, () => randomUUID());
  await secrets.seal(clusterId, 'pull-secret', Buffer.from('{"auths":{"quay.io":{"auth":"YmVuY2g6YmVuY2g="}}}'));
  const settings = {
    name: 'bench',
    baseDnsDomain: 'example.com',
    controlPlaneCount: HOSTS_PER_CLUSTER,
    openshiftVersion: RELEASE.version,
    ocpReleaseImage: RELEASE.url,
    machineNetworks: { items: ['192.0.2.0/24'] },
    apiVips: { items: ['192.0.2.100'] },
    ingressVips: { items: ['192.0.2.101'] },
  };
  await append(eventStore, 'cluster', clusterId, [
    parseEvent('cluster', 'ClusterRegistered', registeredClusterData(clusterId, settings, 'ready')),
  ]);
  await append(eventStore, 'infraEnv', infraEnvId, [
    {
      type: 'InfraEnvRegistered',
      data: { infraEnvId, settings: { name: 'bench', clusterId }, owner: OWNER, pullSecretSet: true },
    },
  ]);
  for (const [index, hostId] of hostIds.entries()) await giveHost(eventStore, clusterId, infraEnvId, hostId, index);
  await append(
    eventStore,
    'cluster',
    clusterId,
    [
      { type: 'InstallationPreparationStarted', data: { attempt: 1, bootstrapHostId: hostIds[0] ?? '', at: AT } },
      {
        type: 'ClusterEnteredStatus',
        data: {
          status: 'preparing-for-installation',
          from: 'ready',
          transition: 'bench',
          at: AT,
          deadline: '',
        },
      },
    ],
    0,
  );
}

async function giveHost(
  store: EventStore,
  clusterId: string,
  infraEnvId: string,
  hostId: string,
  index: number,
): Promise<void> {
  await append(store, 'host', `${infraEnvId}.${hostId}`, [
    {
      type: 'HostRegistered',
      data: {
        hostId,
        infraEnvId,
        clusterId,
        kind: 'Host',
        role: 'master',
        bootstrap: false,
        discoveryAgentVersion: '',
        machineConfigPoolName: '',
        owner: OWNER,
        at: AT,
      },
    },
    { type: 'HostRenamed', data: { requestedHostname: `master-${index}` } },
  ]);
  await append(store, 'inventory', `${infraEnvId}.${hostId}`, [
    {
      type: 'InventoryReported',
      data: {
        hardware: {
          hostname: '',
          bootMode: 'uefi',
          nics: [
            {
              name: 'eth0',
              macAddress: `02:00:00:00:00:0${index}`,
              ipv4Addresses: [`192.0.2.${index + 10}/24`],
              ipv6Addresses: [],
            },
          ],
        },
      },
    } as unknown as MusterEvent,
  ]);
}

async function append(
  store: EventStore,
  category: StreamCategory,
  id: string,
  events: readonly MusterEvent[],
  revision: number = NO_STREAM,
): Promise<void> {
  const metadata = { commandId: randomUUID(), correlationId: 'bench', actor: 'bench', org: 'bench', occurredAt: AT };
  await store.append(
    streamIdOf(category, id),
    revision,
    events.map((event) => ({ id: randomUUID(), type: event.type, data: toStoredData(event) as JsonObject, metadata })),
  );
}
