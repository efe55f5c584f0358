import { COLLECTIONS } from '@muster/assisted-api';
import { clusterRegistered, documentsAfter, onCluster, record } from '../views/view-events.fixture.spec';
import { formatBytes, formatSeconds } from './event-document';

describe('an event document', () => {
  const lastOf = (documents: ReadonlyMap<string, object>): unknown =>
    [...documents].filter(([key]) => key.startsWith(`${COLLECTIONS.events}/`)).at(-1)?.[1];

  it('keeps the origin of its event', async () => {
    const events = record([clusterRegistered(), onCluster('ClusterReset', {}, 'bob')], { sourceAddress: '192.0.2.7' });
    expect(lastOf(await documentsAfter(events))).toMatchObject({
      name: 'cluster_installation_reset',
      user_name: 'alice',
      _actor: 'bob',
      _source_address: '192.0.2.7',
      _correlation_id: 'history',
    });
  });

  it('omits what the metadata of its event does not contain', async () => {
    const events = record([clusterRegistered()], { actor: '', correlationId: '' });
    const members = Object.keys(lastOf(await documentsAfter(events)) ?? {});
    expect(members.filter((name) => name.startsWith('_'))).toEqual(['_props', '_position']);
  });
});

describe('an amount in an event message', () => {
  it.each([
    [8.069444444444445, '8.1 s'],
    [0, '0 s'],
    [123.6, '124 s'],
  ])('of %d seconds is %s', (seconds, text) => expect(formatSeconds(seconds)).toBe(text));

  it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1_234_567, '1.2 MB'],
    [512_000_000_000, '512 GB'],
  ])('of %d bytes is %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});
