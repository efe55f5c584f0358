import type { MusterEventStore } from '@muster/nest-kit';
import { COLLECTIONS, JOURNEY_COLLECTIONS } from '@muster/assisted-api';
import { streamIdOf, type RecordedMusterEvent } from '@muster/contracts';
import { RefusalError } from '@muster/problems';
import type { ReadModels, StreamId } from '@muster/ports';

/** What one look at the past reads at most: hundreds of installations' worth. */
export const PAST_EVENTS_MAX = 200_000;

const HOST_CATEGORIES = ['host', 'inventory', 'validation'] as const;

/** Everything until `atMs` in the streams of a cluster, of its hosts and of what they booted from, in order. Throws RefusalError `invalid-input` for more than PAST_EVENTS_MAX. */
export async function pastEvents(
  clusterId: string,
  atMs: number,
  { eventStore, readModels }: { readonly eventStore: MusterEventStore; readonly readModels: ReadModels },
): Promise<readonly RecordedMusterEvent[]> {
  const events: RecordedMusterEvent[] = [];
  for (const streamId of await streamsOf(clusterId, readModels))
    for await (const page of eventStore.readStream(streamId)) {
      events.push(...page.filter(({ metadata }) => Date.parse(metadata.occurredAt) <= atMs));
      if (events.length > PAST_EVENTS_MAX) throw new RefusalError({ code: 'invalid-input', reason: TOO_MUCH });
    }
  return events.sort((first, second) => first.position - second.position);
}

/** Hosts are those that are in the cluster now, were until they were deleted, or went through an installation in it. */
async function streamsOf(clusterId: string, readModels: ReadModels): Promise<readonly StreamId[]> {
  const keysIn = async (collection: string): Promise<readonly string[]> =>
    (await readModels.find({ collection, where: { cluster_id: clusterId } })).map(({ key }) => key);
  const hosts = [COLLECTIONS.hosts, COLLECTIONS.deletedHosts, JOURNEY_COLLECTIONS.hosts];
  const hostKeys = new Set((await Promise.all(hosts.map(keysIn))).flat());
  const infraEnvIds = new Set([
    ...(await keysIn(COLLECTIONS.infraEnvs)),
    ...[...hostKeys].map((key) => key.split('.', 1)[0] ?? ''),
  ]);
  return [
    streamIdOf('cluster', clusterId),
    streamIdOf('validation', clusterId),
    streamIdOf('artifact', clusterId),
    streamIdOf('manifest', clusterId),
    ...[...infraEnvIds].flatMap((id) => [streamIdOf('infraEnv', id), streamIdOf('image', id)]),
    ...[...hostKeys].flatMap((key) => HOST_CATEGORIES.map((category) => streamIdOf(category, key))),
  ];
}

const TOO_MUCH = `More than ${PAST_EVENTS_MAX} things happened to this cluster until then: ask for an earlier moment.`;
