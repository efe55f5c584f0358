import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import {
  IgnitionService,
  type MusterEvent,
  type StreamCategory,
  streamIdOf,
  toStoredData,
  parseEvent,
} from '@muster/contracts';
import { callService, type Environment, type Platform, type RunningService } from '@muster/nest-kit';
import { type EventStore, type JsonObject, NO_STREAM, type RecordedEvent } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { eventually, registeredClusterData } from '@muster/testing';
import { openTestPlatform } from '@muster/testing/platform';
import type { LoggerService } from '@nestjs/common';
import { startIgnition } from './main';

export const CLUSTER_ID = 'c1c1c1c1-0000-4000-8000-000000000001';
export const INFRA_ENV_ID = 'e1e1e1e1-0000-4000-8000-000000000002';
export const HOST_IDS = ['a', 'b', 'c', 'd'].map((letter) => `${letter.repeat(8)}-0000-4000-8000-000000000003`);
export const PULL_SECRET = '{"auths":{"quay.io":{"auth":"canary-pull-secret"}}}';
const AT = '2026-01-02T03:04:05.000Z';
const OWNER = { userName: 'admin', orgId: '', emailDomain: '' };
const RELEASE_IMAGE = 'quay.io/ocp:4.18';
/** The default release can be installed by simulated hosts only. */
const RELEASE_IMAGES = JSON.stringify([
  { openshift_version: '4.18', version: '4.18', cpu_architecture: 'x86_64', url: RELEASE_IMAGE, simulated: true },
]);
const SILENT: LoggerService = { log: () => undefined, warn: () => undefined, error: () => undefined };

export interface Stage {
  readonly platform: Platform;
  /** Stores events of other services. */
  given(category: StreamCategory, id: string, ...events: readonly MusterEvent[]): Promise<void>;
  start(changes?: Partial<Platform>): Promise<RunningService>;
  factsOf(category: StreamCategory, id: string): Promise<readonly RecordedEvent[]>;
  /** Resolves with the first stored event of that type. */
  fact(type: string): Promise<RecordedEvent>;
  close(): Promise<void>;
}

/** The service with ports in memory and a real bus. Stored events are published as the events service does. */
export async function openStage(natsUrl: string, environment: Environment = {}): Promise<Stage> {
  const platform = await openTestPlatform({
    natsUrl,
    environment: { RELEASE_IMAGES, ...environment },
    publishesEvents: true,
  });
  const { eventStore } = platform;
  const running: RunningService[] = [];
  const factsOf: Stage['factsOf'] = (category, id) => platform.eventsOf(streamIdOf(category, id));
  return {
    platform,
    factsOf,
    given: async (category, id, ...events) => {
      const revision = (await factsOf(category, id)).at(-1)?.revision ?? NO_STREAM;
      await appendAll(eventStore, streamIdOf(category, id), revision, events);
    },
    start: async (changes) => {
      const service = await startIgnition({ ...platform, ...changes }, SILENT);
      running.push(service);
      return service;
    },
    fact: async (type) => {
      const find = async () => (await factsOf('artifact', CLUSTER_ID)).find((event) => event.type === type);
      await eventually(type, async () => (await find()) !== undefined);
      const found = await find();
      if (!found) throw new Error(`${type} is gone`);
      return found;
    },
    close: async () => {
      for (const service of running) await service.close();
      await platform.close();
    },
  };
}

async function appendAll(
  store: EventStore,
  streamId: `${StreamCategory}-${string}`,
  revision: number,
  events: readonly MusterEvent[],
): Promise<void> {
  const metadata = { commandId: randomUUID(), correlationId: 'story', actor: 'user', org: 'acme', occurredAt: AT };
  await store.append(
    streamId,
    revision,
    events.map((event) => ({
      id: randomUUID(),
      type: event.type,
      data: toStoredData(event) as JsonObject,
      metadata,
    })),
  );
}

export const infraEnvRegistered = (settings: object = {}, infraEnvId = INFRA_ENV_ID): MusterEvent => ({
  type: 'InfraEnvRegistered',
  data: {
    infraEnvId,
    settings: {
      name: 'demo',
      clusterId: CLUSTER_ID,
      imageType: 'full-iso',
      sshAuthorizedKey: 'ssh-rsa A',
      ...settings,
    },
    owner: OWNER,
    pullSecretSet: true,
  },
});

export const clusterRegistered = (): MusterEvent => {
  const settings = {
    name: 'demo',
    baseDnsDomain: 'example.com',
    controlPlaneCount: 3,
    ocpReleaseImage: RELEASE_IMAGE,
    machineNetworks: { items: ['192.0.2.0/24'] },
    apiVips: { items: ['192.0.2.100'] },
    ingressVips: { items: ['192.0.2.101'] },
  };
  return parseEvent('cluster', 'ClusterRegistered', registeredClusterData(CLUSTER_ID, settings, 'ready'));
};

export const hostRegistered = (hostId: string, role: string): MusterEvent => ({
  type: 'HostRegistered',
  data: {
    hostId,
    infraEnvId: INFRA_ENV_ID,
    clusterId: CLUSTER_ID,
    kind: 'Host',
    role,
    bootstrap: false,
    discoveryAgentVersion: '',
    machineConfigPoolName: '',
    owner: OWNER,
    at: AT,
  },
});

export const preparationStarted = (attempt = 1): readonly MusterEvent[] => [
  { type: 'InstallationPreparationStarted', data: { attempt, bootstrapHostId: HOST_IDS[0] ?? '', at: AT } },
  enteredStatus('preparing-for-installation', 'ready'),
];

export const enteredStatus = (status: string, from: string, deadline = ''): MusterEvent => ({
  type: 'ClusterEnteredStatus',
  data: { status, from, transition: 'story', at: AT, deadline },
});

/** A cluster of three control plane hosts and a worker with names, ready to be installed. */
export async function givenReadyCluster({ given, platform }: Stage): Promise<void> {
  await platform.secrets.seal(CLUSTER_ID, 'pull-secret', Buffer.from(PULL_SECRET));
  await given('infraEnv', INFRA_ENV_ID, infraEnvRegistered());
  await given('cluster', CLUSTER_ID, clusterRegistered());
  for (const [index, hostId] of HOST_IDS.entries()) {
    const role = index < 3 ? 'master' : 'worker';
    await given('host', `${INFRA_ENV_ID}.${hostId}`, hostRegistered(hostId, role), {
      type: 'HostRenamed',
      data: { requestedHostname: `${role}-${index}` },
    });
    await given('inventory', `${INFRA_ENV_ID}.${hostId}`, inventoryReported(index));
  }
}

/** A host with one port in the machine network. */
export const inventoryReported = (index: number): MusterEvent =>
  ({
    type: 'InventoryReported',
    data: {
      hardware: {
        hostname: '',
        bootMode: 'uefi',
        nics: [
          {
            name: 'eth0',
            macAddress: `02:00:00:00:${octet(index >> 8)}:${octet(index & 255)}`,
            ipv4Addresses: [`192.0.2.${(index % 90) + 10}/24`],
            ipv6Addresses: [],
          },
        ],
      },
    },
  }) as unknown as MusterEvent;

const octet = (value: number): string => value.toString(16).padStart(2, '0');

/** Reads an artifact of the cluster over the bus, as the gateway does. */
export async function readArtifact({ platform }: Stage, name: string, withoutSecrets = false): Promise<string> {
  const context = { commandId: 'read', correlationId: 'read', actor: 'user' };
  const input = { clusterId: CLUSTER_ID, name, withoutSecrets };
  const { content } = await callService(platform.requests, IgnitionService.method.readArtifact, input, context);
  return Buffer.from(content, 'base64').toString();
}

/** The refusal of a request; 'not refused' when the request succeeds. */
export const refusalOf = (request: Promise<unknown>): Promise<unknown> =>
  request.then(
    () => 'not refused',
    (error: unknown) => (error instanceof RefusalError ? error.refusal : error),
  );
