import { randomUUID } from 'node:crypto';
import { type EventData, parseHostKey, ValidationService } from '@muster/contracts';
import { callService, type RunningService } from '@muster/nest-kit';
import { isoTime, type JsonObject, type RecordedEvent, type StreamId } from '@muster/ports';
import {
  CLUSTER_ID,
  clusterEvent,
  clusterRegistered,
  eventually,
  type SampleEvent,
  hostEntered,
  hostEvent,
  hostKey,
  hostRegistered,
  infraEnvRegistered,
  inventoryReported,
  manualClock,
  reportEvent,
} from '@muster/testing';
import { openTestPlatform, type TestPlatform } from '@muster/testing/platform';
import { startValidation } from './main';

const NOBODY = ['', '.'].map((dot) => ({ domainName: `validateNoWildcardDNS.c.example.com${dot}` }));
const SILENT = { log: () => undefined, error: () => undefined, warn: () => undefined };

describe('the validation service with a real bus and store', () => {
  /** It stands still, so that no outcome is stable before a test lets time pass. */
  const clock = manualClock();
  let platform: TestPlatform;
  let service: RunningService;

  beforeAll(async () => {
    platform = await openTestPlatform({
      storage: 'disk',
      ids: { uuid: () => randomUUID() },
      clock,
      publishesEvents: true,
      environment: {
        ENABLE_UPGRADE_AGENT: 'false',
        VALIDATION_FLAPPING_TURNS: '4',
        VALIDATION_FLAPPING_QUIET: '1s',
      },
    });
    service = await startValidation(platform, SILENT);
  });

  afterAll(async () => {
    await service.close();
    await platform.close();
  });

  const stored = async (streamId: string): Promise<RecordedEvent[]> => {
    const events: RecordedEvent[] = [];
    for await (const page of platform.eventStore.readStream(streamId as StreamId)) events.push(...page);
    return events;
  };
  const append = async (...facts: readonly SampleEvent[]): Promise<void> => {
    for (const { streamId, event } of facts) {
      const metadata = {
        commandId: randomUUID(),
        correlationId: 'c',
        actor: 'test',
        occurredAt: isoTime(clock.nowMs()),
      };
      const data = event.data as unknown as JsonObject;
      const { length } = await stored(streamId);
      await platform.eventStore.append(streamId, length - 1, [{ id: randomUUID(), type: event.type, data, metadata }]);
    }
  };
  const read = async (subjectId: string) => {
    const context = { commandId: randomUUID(), correlationId: 'c', actor: 'test' };
    return (await callService(platform.requests, ValidationService.method.readOutcomes, { subjectId }, context))
      .outcomes;
  };
  /** Resolves when the service has evaluated the subject after all stored events. */
  const awaitEvaluation = async (subjectId: string) => {
    const request = { position: await platform.eventStore.head(), subjectId };
    const context = { commandId: randomUUID(), correlationId: 'c', actor: 'test' };
    return callService(platform.requests, ValidationService.method.awaitEvaluation, request, context);
  };
  const outcomes = async (subjectId: string): Promise<ReadonlyMap<string, string>> =>
    new Map((await read(subjectId)).map(({ id, status }) => [id, status]));
  const conditions = async (subjectId: string) =>
    ((await stored(`validation-${subjectId}`)).at(-1)?.data as unknown as EventData<'HostOutcomesChanged'> | undefined)
      ?.conditions;
  const clusterConditions = async () =>
    (
      (await stored(`validation-${CLUSTER_ID}`)).at(-1)?.data as unknown as
        EventData<'ClusterOutcomesChanged'> | undefined
    )?.conditions;
  const keys = [1, 2, 3].map(hostKey);
  const [a = hostKey(1)] = keys;

  it('evaluates a host that registers, and lists missing reports', async () => {
    await append(infraEnvRegistered(), clusterRegistered(), hostRegistered(a), hostEntered(a, 'discovering'));
    await eventually('the host is evaluated', async () => (await outcomes(a)).get('has-inventory') === 'failure');
    expect((await outcomes(a)).get('has-min-memory')).toBe('pending');
    await eventually(
      'the cluster is evaluated',
      async () => (await outcomes(CLUSTER_ID)).get('sufficient-masters-count') === 'failure',
    );
  });

  it('tells the position of the last outcomes of the hosts of an infra-env and their clusters', async () => {
    const told = await awaitEvaluation(parseHostKey(a).infraEnvId);
    const outcomesOf = [...(await stored(`validation-${a}`)), ...(await stored(`validation-${CLUSTER_ID}`))];
    expect(told.position).toBe(Math.max(...outcomesOf.map(({ position }) => position)));
  });

  it('evaluates only the host that reports, and stores only changes', async () => {
    await append(inventoryReported(a));
    await eventually('the inventory is evaluated', async () => (await conditions(a))?.inventory === 'usable');
    const speed = 'sufficient-installation-disk-speed';
    await eventually('the missing disk is detected', async () => (await outcomes(a)).get(speed) === 'error');
    await append(hostEvent(a, 'InstallationDiskChosen', { diskId: '/dev/sda', diskPath: '/dev/sda' }));
    await eventually('the disk is accepted', async () => (await outcomes(a)).get(speed) === 'success');
    const last = (await stored(`validation-${a}`)).at(-1)?.data as unknown as EventData<'HostOutcomesChanged'>;
    expect(last.changed.map(({ id }) => id)).toEqual([speed]);
    expect(last.generation).toBe(1);
  });

  it('computes majority groups from the reports of all hosts, and evaluates hosts whose group changed', async () => {
    for (const [at, key] of keys.entries()) {
      if (at > 0)
        await append(
          hostRegistered(key),
          inventoryReported(key, { nics: [{ name: 'ens3', ipv4Addresses: [`192.168.128.1${at}/24`] }] }),
          hostEvent(key, 'InstallationDiskChosen', { diskId: '/dev/sda', diskPath: '/dev/sda' }),
        );
      await append(reportEvent(key, 'DomainsResolved', { resolutions: NOBODY }));
    }
    const reach = (at: number) => ({
      hostId: keys[at]?.slice(37),
      nearAddresses: [`192.168.128.1${at}`],
      farAddresses: [`192.168.128.1${at}`],
      latencyMs: 1,
    });
    const majority = async (key: string) => (await outcomes(key)).get('belongs-to-majority-group');
    for (const [at, key] of keys.entries())
      await append(
        reportEvent(key, 'ConnectivityReported', { peers: [0, 1, 2].filter((one) => one !== at).map(reach) }),
      );
    for (const key of keys) {
      await eventually('the host is in the group', async () => (await majority(key)) === 'success');
      await eventually('the host is sufficient', async () => (await conditions(key))?.sufficientForInstall === true);
    }
    const joined = (await stored(`validation-${CLUSTER_ID}`)).flatMap(
      ({ data }) => (data as unknown as EventData<'ClusterOutcomesChanged'>).connectivityGroups?.groups ?? [],
    );
    expect(joined.filter(({ network }) => network === '192.168.128.0/24').flatMap((one) => one.joinedHostIds)).toEqual(
      keys.map((key) => key.slice(37)),
    );
    await append(reportEvent(a, 'ConnectivityReported', { peers: [{ ...reach(1), nearAddresses: [] }] }));
    await eventually('the host is not in the group', async () => (await majority(a)) === 'failure');
    await append(reportEvent(a, 'ConnectivityReported', { peers: [reach(1)] }));
    await eventually('the host is in the group again', async () => (await majority(a)) === 'success');
  });

  it('sets a cluster to ready as its hosts become known', async () => {
    for (const key of keys) {
      await append(hostEntered(key, 'known'), hostEvent(key, 'HostRoleSuggested', { role: 'master' }));
    }
    const vips = ['api', 'ingress'].map((vipType, at) => ({
      vip: `192.168.128.10${at}`,
      vipType,
      verification: 'succeeded',
    }));
    await append(reportEvent(a, 'VipsVerified', { vips }));
    await eventually('the cluster is ready', async () => (await clusterConditions())?.requiredPassed === true);
    expect(await clusterConditions()).toMatchObject({ pendingInputsGiven: true, vipsDefined: true });
  });

  it('stores nothing at a restart without new events', async () => {
    const head = await platform.eventStore.head();
    await service.close();
    service = await startValidation(platform, SILENT);
    await append(reportEvent(a, 'ClockOffsetMeasured', { offsetSeconds: 7_200 }));
    const synced = 'time-synced-between-host-and-service';
    await eventually('the service has processed all events', async () => (await outcomes(a)).get(synced) === 'failure');
    const after: string[] = [];
    for await (const page of platform.eventStore.readAll(head)) after.push(...page.map(({ streamId }) => streamId));
    expect(
      after.filter((streamId) => streamId !== `validation-${a}` && streamId !== `validation-${CLUSTER_ID}`),
    ).toEqual([`inventory-${a}`]);
  });

  it('evaluates events that were stored while it was stopped', async () => {
    await service.close();
    await append(
      hostEvent(a, 'HostFellSilent', { lastSeenAt: '' }),
      clusterEvent('MachineNetworksDerived', { cidrs: ['10.0.0.0/8'] }),
    );
    service = await startValidation(platform, SILENT);
    for (const key of keys)
      await eventually(
        'the hosts are outside of the machine network',
        async () => (await outcomes(key)).get('belongs-to-machine-cidr') === 'failure',
      );
    await eventually('the host is disconnected', async () => (await conditions(a))?.connected === false);
  });

  it('evaluates a new generation again', async () => {
    await append(hostEvent(a, 'HostReregistered', { discoveryAgentVersion: 'v', kind: 'Host', clusterId: CLUSTER_ID }));
    await eventually('the report is void', async () => (await conditions(a))?.inventory === 'none');
    expect((await stored(`validation-${a}`)).at(-1)?.data.generation).toBe(2);
  });

  it('records the success of a flapping validation once it is stable, and no changes in between', async () => {
    const [, b = hostKey(2)] = keys;
    const connected = async () => (await read(b)).find(({ id }) => id === 'connected');
    for (const turn of [
      'HostFellSilent',
      'HostReturned',
      'HostFellSilent',
      'HostReturned',
      'HostFellSilent',
    ] as const) {
      await append(hostEvent(b, turn, turn === 'HostFellSilent' ? { lastSeenAt: '' } : {}));
      const expected = turn === 'HostFellSilent' ? 'failure' : 'success';
      await eventually('the change is recorded', async () => (await connected())?.status === expected);
    }
    const flapping = (await connected())?.flapping;
    expect(flapping).toMatchObject({ flips: 4, quietSeconds: 1 });
    await append(hostEvent(b, 'HostReturned', {}), hostEvent(b, 'HostFellSilent', { lastSeenAt: '' }));
    await append(hostEvent(b, 'HostReturned', {}));
    await awaitEvaluation(b);
    expect((await connected())?.status).toBe('failure');
    clock.advance(1_000);
    await eventually('the validation is stable', async () => (await connected())?.status === 'success');
    const settled = await connected();
    expect(Date.parse(settled?.since ?? '') - Date.parse(flapping?.since ?? '')).toBeGreaterThanOrEqual(1_000);
    expect(settled?.flapping).toBeUndefined();
    const told = (await stored(`validation-${b}`))
      .flatMap(({ data }) => (data as unknown as EventData<'HostOutcomesChanged'>).changed)
      .filter(({ id }) => id === 'connected')
      .map(({ status }) => status);
    expect(told).toEqual(['failure', 'success', 'failure', 'success', 'failure', 'success']);
    await service.close();
    service = await startValidation(platform, SILENT);
    expect(await connected()).toEqual(settled);
  });

  it('evaluates a host again that was deregistered and registers again', async () => {
    const [, , c = hostKey(3)] = keys;
    const connected = async () => (await read(c)).find(({ id }) => id === 'connected');
    for (const expected of ['failure', 'success', 'failure', 'success', 'failure']) {
      await append(
        expected === 'failure' ? hostEvent(c, 'HostFellSilent', { lastSeenAt: '' }) : hostEvent(c, 'HostReturned', {}),
      );
      await eventually('the change is recorded', async () => (await connected())?.status === expected);
    }
    const storedBefore = (await stored(`validation-${c}`)).length;
    await append(hostEvent(c, 'HostDeregistered', {}), hostRegistered(c));
    const changes = async () =>
      (await stored(`validation-${c}`))
        .slice(storedBefore)
        .map(({ data }) => data as unknown as EventData<'HostOutcomesChanged'>);
    await eventually('the host is evaluated', async () => (await changes()).some(({ generation }) => generation === 2));
    expect((await changes()).map(({ reset }) => reset)).toEqual([true]);
    expect((await changes()).flatMap(({ changed }) => changed).filter(({ flapping }) => flapping)).toEqual([]);
    expect((await connected())?.status).toBe('success');
    expect((await outcomes(c)).get('has-inventory')).toBe('failure');
    expect((await read(c)).every(({ flips }) => flips <= 1)).toBe(true);
  });

  it('refuses to return the outcomes of an invalid id', async () => {
    await expect(outcomes('../etc')).rejects.toMatchObject({
      refusal: { code: 'invalid-input', subject: 'subjectId' },
    });
  });
});
