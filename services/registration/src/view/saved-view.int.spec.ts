import { join } from 'node:path';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import { parseEvent } from '@muster/contracts';
import type { MakeEntries } from '@muster/decision';
import { keptEntries, SAVE_LIMITS, SavedStates, viewFold } from '@muster/event-sourcing';
import type { Requests } from '@muster/ports';
import {
  CLUSTER_ID,
  clusterEvent,
  clusterRegistered,
  hostEntered,
  hostKey,
  hostRegistered,
  infraEnvRegistered,
  recorded,
  type SampleEvent,
  temporaryDirectory,
} from '@muster/testing';
import { expectInfraEnvKeptWithHosts, expectSavedAsReplayed, expectSavedShape } from '@muster/testing/platform';
import { Nudges } from '../agents/host-bus';
import { RegistrationView } from './registration-view';
import { CLUSTERS, HOSTS, INFRA_ENVS, VIEW_VERSION } from './view-entries';

jest.mock('node:v8', () => {
  const v8 = jest.requireActual<typeof import('node:v8')>('node:v8');
  const { inThisRealm } = jest.requireActual<typeof import('@muster/testing')>('@muster/testing');
  return { ...v8, deserialize: (bytes: Uint8Array) => inThisRealm(v8.deserialize(bytes)) };
});

describe('the registration view', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  it('is the same whether it was saved and loaded or folded from all events', async () => {
    const shapes = [HOSTS, CLUSTERS, INFRA_ENVS];
    await expectSavedAsReplayed(directory.path, shapes, (make, position) => new RegistrationView(make, position));
  });

  it('saves entries of the shape of its version', async () => {
    const [file, shapes] = [join(__dirname, 'saved-shape.txt'), [HOSTS, CLUSTERS, INFRA_ENVS]];
    const makeView = (make: MakeEntries, position: number) => new RegistrationView(make, position);
    await expectSavedShape(directory.path, file, VIEW_VERSION, shapes, makeView);
  });

  it('keeps an infra-env in memory as long as one of its hosts', async () => {
    await expectInfraEnvKeptWithHosts(
      directory.path,
      [HOSTS, CLUSTERS, INFRA_ENVS],
      (make, position) => new RegistrationView(make, position),
    );
  });

  describe('of an installed cluster', () => {
    /** More hosts than the cache for closed entries holds. */
    const keys = Array.from({ length: 260 }, (_, number) => hostKey(number + 1));
    const enteredCluster = (status: string): SampleEvent =>
      clusterEvent('ClusterEnteredStatus', { status, from: '', transition: 't', at: '' });

    /** Returns a function that opens the saved view of an installed cluster, and one that places events after its events. */
    const saveInstalled = async (name: string) => {
      const file = join(directory.path, name);
      let position = -1;
      const open = async () => {
        const fail = (error: Error): void => expect(error).toBeUndefined();
        const states = new SavedStates(sqliteStateStore({ file }), inMemoryEventStore(), fail, SAVE_LIMITS);
        const consumer = await states.open('sample', [viewFold('sample', 1, [HOSTS, CLUSTERS, INFRA_ENVS])]);
        const read = jest.spyOn(consumer.state, 'get');
        const hostsRead = () => read.mock.calls.filter(([table]) => table === 'hosts').length;
        const view = new RegistrationView(keptEntries(consumer), consumer.position('sample'));
        const close = async () => {
          consumer.reached('sample', position, undefined);
          await states.close();
        };
        return { consumer, view, hostsRead, close };
      };
      const next = (...facts: readonly SampleEvent[]) =>
        recorded(facts).map((event) => ({ ...event, position: (position += 1) }));
      const before = await open();
      for (const event of next(infraEnvRegistered(), clusterRegistered())) before.view.observe(event);
      for (const event of next(...keys.flatMap((key) => [hostRegistered(key), hostEntered(key, 'installed')])))
        before.view.observe(event);
      for (const event of next(enteredCluster('installed'))) before.view.observe(event);
      await before.close();
      return { open, next };
    };

    it('loads the hosts in steps when the cluster is opened, and keeps them, also after a start', async () => {
      const { open, next } = await saveInstalled('opened.sqlite');
      const { view, hostsRead, close } = await open();
      for (const event of next(clusterEvent('ClusterProgressed', { totalPercentage: 100 }))) {
        expect([...view.prepare(event)]).toEqual([]);
        view.observe(event);
      }
      for (const event of next(enteredCluster('adding-hosts'))) {
        let steps = 0;
        for (const _ of view.prepare(event)) expect(hostsRead()).toBe((steps += 1));
        expect(steps).toBe(keys.length);
        view.observe(event);
      }
      expect(view.hostsOf(CLUSTER_ID)).toHaveLength(keys.length);
      expect(hostsRead()).toBe(keys.length);
      await close();

      const after = await open();
      await after.consumer.loadOpen();
      expect(after.hostsRead()).toBe(keys.length);
      expect(after.view.hostsOf(CLUSTER_ID)).toHaveLength(keys.length);
      expect(after.hostsRead()).toBe(keys.length);
      await after.close();
    });

    it('loads no host to notify the agents of changed settings', async () => {
      const { open, next } = await saveInstalled('notified.sqlite');
      const { view, hostsRead, close } = await open();
      const publish = jest.fn();
      const nudges = new Nudges({ publish } as unknown as Requests, view);
      for (const event of next(clusterEvent('ClusterSettingsRevised', { changes: { name: 'other' } })))
        nudges.after(event);
      expect(publish).toHaveBeenCalledTimes(keys.length);
      expect(hostsRead()).toBe(0);
      await close();
    });
  });

  it('shares equal outcomes of hosts that were loaded', async () => {
    const shapes = [HOSTS, CLUSTERS, INFRA_ENVS];
    const file = join(directory.path, 'shared.sqlite');
    const open = async () => {
      const onError = (error: Error): void => expect(error).toBeUndefined();
      const states = new SavedStates(sqliteStateStore({ file }), inMemoryEventStore(), onError, SAVE_LIMITS);
      const consumer = await states.open('sample', [viewFold('sample', 1, shapes)]);
      return { states, consumer, view: new RegistrationView(keptEntries(consumer), consumer.position('sample')) };
    };
    const keys = [hostKey(1), hostKey(2)];
    const reported = (key: string): SampleEvent => ({
      streamId: `validation-${key}`,
      event: parseEvent('validation', 'HostOutcomesChanged', {
        hostKey: key,
        generation: 1,
        changed: [{ id: 'has-min-memory', status: 'failure', reason: 'failure', parameters: ['16 GiB', '8 GiB'] }],
      }),
    });
    const first = await open();
    for (const event of recorded(keys.flatMap((key) => [hostRegistered(key), reported(key)])))
      first.view.observe(event);
    first.consumer.reached('sample', 3, undefined);
    await first.states.close();
    const { states, view } = await open();
    const [one, other] = keys.map((key) => view.host(key)?.outcomes.get('has-min-memory'));
    expect(one).toMatchObject({ status: 'failure', parameters: ['16 GiB', '8 GiB'] });
    expect(other).toBe(one);
    await states.close();
  });
});
