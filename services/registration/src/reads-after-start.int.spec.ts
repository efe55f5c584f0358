import { parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import type { EventStore } from '@muster/ports';
import { Aggregates } from './aggregates';
import { TestCluster } from './cluster.fixture.spec';
import { asUser, RunningRegistration } from './running-registration.fixture.spec';

const { method } = RegistrationService;

describe('the first command on an aggregate after a start', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  let read: jest.SpiedFunction<EventStore['readStream']>;
  beforeAll(async () => {
    running = await RunningRegistration.start();
    read = jest.spyOn(running.platform.eventStore, 'readStream');
  });
  beforeEach(() => (cluster = new TestCluster(running)));
  afterEach(() => jest.clearAllMocks());
  afterAll(() => running.stop());

  const restart = async (): Promise<void> => {
    await running.restart();
    await running.settled();
    read.mockClear();
  };
  /** The streams that the service has read since. The fixture reads the store below. */
  const streamsRead = () => read.mock.calls.map(([streamId]) => streamId);
  /** The context of a request of the gateway without an Idempotency-Key. */
  const asNewUser = async (): Promise<CommandContext> => ({ ...asUser(), unusedUpTo: await running.store.head() });

  it('is decided without a read when the service itself sends it', async () => {
    const [key] = await cluster.ready();
    if (!key) throw new Error('there are three hosts');
    await restart();
    const { hosts, clusters, ownContext } = bound(running.part(Aggregates));
    const at = new Date(running.clock.nowMs()).toISOString();
    const onHost = await hosts.handle(key, { type: 'ReportAgentVersion', at, agentVersion: 'other' }, ownContext());
    const logs = { type: 'RecordLogs', at, report: { kind: 'state', logsState: 'requested' } } as const;
    const onCluster = await clusters.handle(cluster.id, logs, ownContext());
    expect([onHost, onCluster]).toMatchObject([{ events: [{}] }, { events: [{}] }]);
    expect(streamsRead()).toEqual([]);
  });

  it('is decided without a read when its id is new, also on an infra-env', async () => {
    const [key] = await cluster.ready();
    if (!key) throw new Error('there are three hosts');
    await restart();
    const { id: clusterId, infraEnvId } = cluster;
    await running.ask(method.reviseHost, { ...parseHostKey(key), hostName: 'other' }, await asNewUser());
    await running.ask(method.reviseCluster, { clusterId, changes: { name: 'other' } }, await asNewUser());
    await running.ask(method.reviseInfraEnv, { infraEnvId, changes: { name: 'other' } }, await asNewUser());
    expect(streamsRead()).toEqual([]);
    expect((await running.host(key)).requestedHostname).toBe('other');
    expect((await running.cluster(clusterId)).settings.name).toBe('other');
    expect((await running.infraEnv(infraEnvId)).settings.name).toBe('other');
  });

  it('is decided without a read on each host to which a command of its cluster is propagated', async () => {
    const keys = await cluster.installing();
    await restart();
    await running.ask(method.cancelInstallation, { clusterId: cluster.id }, await asNewUser());
    expect(await running.statuses(...keys)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(streamsRead()).toEqual([]);
  });

  it('is recognized as a repetition after commands with new ids', async () => {
    const [key] = await cluster.ready();
    if (!key) throw new Error('there are three hosts');
    const { id: clusterId, infraEnvId } = cluster;
    const [onHost, onCluster, onInfraEnv] = [asUser(), asUser(), asUser()];
    const rename = async (name: string, contexts: readonly CommandContext[]) => [
      await running.ask(method.reviseHost, { ...parseHostKey(key), hostName: name }, contexts[0]),
      await running.ask(method.reviseCluster, { clusterId, changes: { name } }, contexts[1]),
      await running.ask(method.reviseInfraEnv, { infraEnvId, changes: { name } }, contexts[2]),
    ];
    const first = await rename('first', [onHost, onCluster, onInfraEnv]);
    await restart();
    await rename('second', [await asNewUser(), await asNewUser(), await asNewUser()]);
    const before = await running.allEvents();
    expect(await rename('first', [onHost, onCluster, onInfraEnv])).toEqual(first);
    expect(await running.allEvents()).toEqual(before);
    expect(new Set(streamsRead())).toEqual(
      new Set([streamIdOf('host', key), streamIdOf('cluster', clusterId), streamIdOf('infraEnv', infraEnvId)]),
    );
  });

  it('is recognized as a repetition with the position of its first attempt, which the service stored before', async () => {
    const [key] = await cluster.ready();
    if (!key) throw new Error('there are three hosts');
    const again = await asNewUser();
    const rename = () => running.ask(method.reviseHost, { ...parseHostKey(key), hostName: 'once' }, again);
    const first = await rename();
    await restart();
    const before = await running.allEvents();
    expect(await rename()).toEqual(first);
    expect(await running.allEvents()).toEqual(before);
  });
});

const bound = (aggregates: Aggregates) => ({
  hosts: aggregates.hosts,
  clusters: aggregates.clusters,
  ownContext: () => aggregates.ownContext(),
});
