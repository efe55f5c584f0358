import { inMemoryEventStore, inMemoryReadModels } from '@muster/adapter-in-memory';
import { musterEventStore } from '@muster/nest-kit';
import type { StreamId } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { readConfig } from '../config';
import { CLUSTER_ID, timeAt } from '../views/view-events.fixture.spec';
import { ReadPastController } from './read-past.controller';

const OTHER_ID = '44444444-4444-4444-8444-444444444444';

it('requests for several past times of a cluster hold its events one after the other, and those of other clusters beside it', async () => {
  const begun: StreamId[] = [];
  const gates: (() => void)[] = [];
  const eventStore = musterEventStore(inMemoryEventStore());
  const slow: typeof eventStore = {
    ...eventStore,
    readStream: async function* (streamId) {
      if (!streamId.startsWith('cluster-')) return;
      begun.push(streamId);
      await new Promise<void>((resolve) => gates.push(resolve));
      yield* [];
    },
  };
  const controller = new ReadPastController(slow, inMemoryReadModels(), readConfig({}));
  const asked = [
    [CLUSTER_ID, 1],
    [CLUSTER_ID, 2],
    [OTHER_ID, 1],
  ] as const;
  const answers = asked.map(([clusterId, second]) => controller.handle({ clusterId, at: timeAt(second) }));
  const settled = Promise.allSettled(answers);
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  await settle();
  expect(begun).toEqual([`cluster-${CLUSTER_ID}`, `cluster-${OTHER_ID}`]);
  gates.splice(0).forEach((open) => open());
  await settle();
  expect(begun.slice(2)).toEqual([`cluster-${CLUSTER_ID}`]);
  gates.splice(0).forEach((open) => open());
  const reasons = (await settled).map((one) => (one.status === 'rejected' ? one.reason : undefined));
  expect(reasons).toEqual([expect.any(RefusalError), expect.any(RefusalError), expect.any(RefusalError)]);
});
