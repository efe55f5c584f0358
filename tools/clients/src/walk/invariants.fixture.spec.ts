import { CLUSTER_TABLE, HOST_TABLE } from '@muster/domain';
import type { RecordedEvent } from '@muster/ports';
import { eventually } from '@muster/testing';
import type { RestAnswer, WalkWorld } from './walk-world.fixture.spec';

interface Row {
  readonly id: string;
  readonly from: readonly string[];
  readonly to: string;
}

/** Checks that a refusal has a code and a reason, and that no response is an internal error. */
export function expectCleanAnswer(what: string, { status, text }: RestAnswer): void {
  expect({ what, status: status < 500 ? 'no fault' : status, text: status < 500 ? '' : text }).toEqual({
    what,
    status: 'no fault',
    text: '',
  });
  if (status < 400) return;
  const body = JSON.parse(text) as { readonly code?: unknown; readonly reason?: string; readonly message?: string };
  expect([what, String(body.code)]).toEqual([what, String(status)]);
  // The reason must name a field, a status, or a resource.
  expect(`${what}: ${body.reason ?? body.message ?? ''}`).toMatch(/: .*[\w-]+.* .{8,}/);
}

/** Checks that every stored change of status is a row of its table. */
export function expectListedTransitions(events: readonly RecordedEvent[]): void {
  for (const { type, data, streamId } of events) {
    const table: readonly Row[] | undefined =
      type === 'ClusterEnteredStatus' ? CLUSTER_TABLE.rows : type === 'HostEnteredStatus' ? HOST_TABLE.rows : undefined;
    if (!table) continue;
    const { from, status, transition } = data as { from?: string; status: string; transition: string };
    const row = table.find(({ id }) => id === transition);
    const isListed = row?.to === status && row.from.includes(from ? from : 'unregistered');
    expect(isListed ? 'listed' : `${streamId}: ${from} to ${status} by ${transition}`).toBe('listed');
  }
}

/** Checks that the revisions of each stream are consecutive from 0 and that positions increase. */
export function expectGapless(events: readonly RecordedEvent[], revisions: Map<string, number>): void {
  let before = -1;
  for (const { streamId, revision, position } of events) {
    expect([streamId, revision]).toEqual([streamId, (revisions.get(streamId) ?? -1) + 1]);
    revisions.set(streamId, revision);
    expect(position).toBeGreaterThan(before);
    before = position;
  }
}

type Item = { readonly id: string; readonly status?: string; readonly [member: string]: unknown };
/** Without members that change with time alone. */
const stable = ({ checked_in_at: _c, hosts: _h, ...item }: Item): object => item;

/** Checks that a list item equals the resource itself. Events may still arrive, so both are read until they agree. */
export async function expectListsAgree(
  world: WalkWorld,
  clusterIds: readonly string[],
  infraEnvIds: readonly string[],
): Promise<void> {
  const agree = async (list: string, single: (item: Item) => string): Promise<string> => {
    for (const item of await world.read<Item[]>(list)) {
      const answer = await world.send('GET', single(item));
      if (answer.status !== 200) return `${single(item)}: ${answer.status}`;
      const [listed, own] = [stable(item), stable(JSON.parse(answer.text) as Item)] as Record<string, unknown>[];
      for (const member of Object.keys(listed ?? {}))
        if (JSON.stringify(listed?.[member]) !== JSON.stringify(own?.[member]))
          return `${single(item)}: ${member} differs`;
    }
    return '';
  };
  const settle = async (what: string, look: () => Promise<string>): Promise<void> => {
    let last = '';
    await eventually(what, async () => (last = await look()) === '').catch(() => expect(last).toBe(''));
  };
  const known = new Set((await world.read<Item[]>('/clusters')).map(({ id }) => id));
  await settle('clusters agree', () => agree('/clusters?with_hosts=true', ({ id }) => `/clusters/${id}`));
  for (const id of clusterIds.filter((one) => known.has(one)))
    await settle('hosts of a cluster agree', () =>
      agree(
        `/clusters/${id}/hosts?with-inventory=true&with-connectivity=true`,
        (host) => `/infra-envs/${String(host['infra_env_id'])}/hosts/${host.id}`,
      ),
    );
  const listed = new Set((await world.read<Item[]>('/infra-envs')).map(({ id }) => id));
  for (const id of infraEnvIds.filter((one) => listed.has(one)))
    await settle('hosts agree', () => agree(`/infra-envs/${id}/hosts`, (host) => `/infra-envs/${id}/hosts/${host.id}`));
}

const PAGE = 7;

/** Checks that the event list is the same as a whole and in pages, and that its header contains its length. */
export async function expectWholeEventLists(world: WalkWorld, clusterIds: readonly string[]): Promise<void> {
  for (const id of clusterIds) {
    const path = `/events?cluster_id=${id}&order=ascending`;
    const compare = async (): Promise<string> => {
      const whole = await world.send('GET', path);
      if (whole.status !== 200) return '';
      const all = JSON.parse(whole.text) as unknown[];
      const paged: unknown[] = [];
      for (let offset = 0; offset < all.length; offset += PAGE)
        paged.push(...(await world.read<unknown[]>(`${path}&limit=${PAGE}&offset=${offset}`)));
      if (whole.headers.get('event-count') !== String(all.length)) return `${id}: Event-Count is not ${all.length}`;
      return JSON.stringify(paged) === JSON.stringify(all) ? '' : `${id}: pages differ from the whole list`;
    };
    let last = '';
    await eventually('events agree', async () => (last = await compare()) === '').catch(() => expect(last).toBe(''));
  }
}
