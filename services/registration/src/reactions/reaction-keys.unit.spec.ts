import { type InfraEnvEvent, parseEvent } from '@muster/contracts';
import {
  CLUSTER_ID,
  clusterEvent,
  clusterRegistered,
  hostEntered,
  hostEvent,
  hostKey,
  hostRegistered,
  INFRA_ENV_ID,
  infraEnvRegistered,
  inventoryReported,
  recorded,
  reportEvent,
  type SampleEvent,
} from '@muster/testing';
import { RegistrationView } from '../view/registration-view';
import { parseReactionKey, reactionKeysOf } from './reaction-keys';

const KEY = hostKey(1);

/** The keys that depend on the last event. */
function keysAfter(...last: readonly SampleEvent[]): readonly string[] {
  const view = new RegistrationView();
  const events = recorded([infraEnvRegistered(), clusterRegistered(), hostRegistered(KEY), ...last]);
  for (const event of events) view.observe(event);
  return events.slice(-1).flatMap((event) => reactionKeysOf(event, view));
}

describe('the reactions to a report', () => {
  it('are the disk of the host and the roles of its cluster after an inventory', () => {
    expect(keysAfter(inventoryReported(KEY))).toEqual([`report:${KEY}`, `cluster:${CLUSTER_ID}`]);
  });

  it('are none after another report, which counts when it was evaluated', () => {
    expect(keysAfter(reportEvent(KEY, 'ClockOffsetMeasured', { offsetSeconds: 3 }))).toEqual([]);
  });
});

describe('the reactions to another installation disk', () => {
  it('are the roles of its cluster, because operators need the other disks', () => {
    const chosen = hostEvent(KEY, 'InstallationDiskChosen', { diskId: '/dev/disk/by-id/wwn-2', byUser: true });
    expect(keysAfter(chosen)).toEqual([`host:${KEY}`, `cluster:${CLUSTER_ID}`]);
  });
});

describe('the reactions to a host that is installed or leaves', () => {
  const other = hostKey(2);
  const waiting = [hostRegistered(other), hostEntered(other, 'installing-pending-user-action')];

  it.each([
    ['is installed', hostEntered(KEY, 'installed')],
    ['is removed', hostEvent(KEY, 'HostDeregistered', {})],
    ['is unbound', hostEvent(KEY, 'HostUnbound', { clusterId: CLUSTER_ID })],
  ])('include the hosts that wait for a user action when it %s', (_, event) => {
    expect(keysAfter(...waiting, event)).toEqual([`host:${KEY}`, `cluster:${CLUSTER_ID}`, `host:${other}`]);
  });

  it('include no other hosts', () => {
    expect(keysAfter(hostRegistered(other), hostEntered(KEY, 'installed'))).not.toContain(`host:${other}`);
    expect(keysAfter(...waiting, hostEntered(KEY, 'error'))).not.toContain(`host:${other}`);
  });
});

describe('the reactions to a cluster and an infra-env', () => {
  const infraEnvEvent = (type: InfraEnvEvent['type']): SampleEvent => ({
    ...infraEnvRegistered(),
    event: parseEvent('infraEnv', type, {}),
  });

  it.each([
    ['the hosts of a cluster with another status', clusterEvent('ClusterEnteredStatus', { status: 'ready' }), [KEY]],
    ['no hosts after another event', clusterEvent('ClusterProgressed', {}), []],
  ])('include %s', (_, event, hosts) => {
    expect(keysAfter(event)).toEqual([`cluster:${CLUSTER_ID}`, ...hosts.map((key) => `host:${key}`)]);
  });

  it('destroy the secrets of an infra-env only when it is removed, and remove a host that it still has', () => {
    expect(keysAfter(infraEnvEvent('InfraEnvSettingsRevised'))).toEqual([]);
    expect(keysAfter(infraEnvEvent('InfraEnvDeregistered'))).toEqual([`shred:${INFRA_ENV_ID}`, `host:${KEY}`]);
  });
});

describe('the key of a reaction', () => {
  it.each([`host:${KEY}`, `report:${KEY}`, 'cluster:c', 'follow:c', 'shred:c'])('%s is read', (key) => {
    const { kind, id } = parseReactionKey(key);
    expect(`${kind}:${id}`).toBe(key);
  });

  it.each(['host:c', 'report:c', 'other:c', 'c'])('%s is not one', (key) => {
    expect(() => parseReactionKey(key)).toThrow('is not a key of this process');
  });
});
