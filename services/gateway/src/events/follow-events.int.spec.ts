import { eventually } from '@muster/testing';
import { startTestIssuer } from '../auth/test-issuer.fixture.spec';
import { ReadYourWrites } from '../bus/read-your-writes';
import { type Answer, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { CLUSTER_ID, clusterDocument, eventDocument, INFRA_ENV_ID } from '../sample-documents.fixture.spec';
import { EventScopes } from './events.controller';
import { WAITING_FOLLOWERS_MAX, WAITING_FOLLOWERS_OF_USER_MAX } from './follow-events.controller';

const EVENTS = '/api/muster/v1/events';
const OTHER_CLUSTER_ID = '3f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f7';

interface Followed {
  readonly events: readonly { readonly position: string; readonly message: string; readonly props: string }[];
  readonly next: string;
}

describe('following the events', () => {
  let gateway: RunningGateway;
  beforeEach(async () => {
    gateway = await startRunningGateway();
    await gateway.project(1, [
      clusterDocument(),
      eventDocument(1),
      eventDocument(2, { category: 'metrics' }),
      eventDocument(3, { cluster_id: OTHER_CLUSTER_ID, _actor: 'bob' }),
      { ...eventDocument(3), key: '0000000000000003.1' },
      eventDocument(12, { cluster_id: undefined, infra_env_id: INFRA_ENV_ID }),
    ]);
  });
  afterEach(() => gateway.close());

  const follow = async (query: string): Promise<Followed> =>
    (await gateway.call('GET', `${EVENTS}?${query}`)).body as unknown as Followed;
  const positions = async (query: string): Promise<readonly string[]> =>
    (await follow(query)).events.map(({ position }) => position);

  it('returns the events of category user with their positions, in their order', async () => {
    const { events, next } = await follow('');
    expect(events.map(({ position, message }) => [position, message])).toEqual([
      ['1.0', 'event 1'],
      ['3.0', 'event 3'],
      ['3.1', 'event 3'],
      ['12.0', 'event 12'],
    ]);
    expect(next).toBe('12.0');
    expect(JSON.parse(events[1]?.props ?? '')).toEqual({ cluster_id: OTHER_CLUSTER_ID, actor: 'bob' });
  });

  it.each([
    ['after=1.0', ['3.0', '3.1', '12.0']],
    ['after=3.0', ['3.1', '12.0']],
    ['after=3', ['12.0']],
    ['after=12.0', []],
    ['limit=2', ['1.0', '3.0']],
    [`cluster_id=${CLUSTER_ID}`, ['1.0', '3.1']],
    [`cluster_id=${CLUSTER_ID}&after=1.0`, ['3.1']],
    [`infra_env_id=${INFRA_ENV_ID}`, ['12.0']],
  ])('answers %s', async (query, expected) => expect(await positions(query)).toEqual(expected));

  it('continues with the next position until the end', async () => {
    const read: string[] = [];
    for (let after = '0'; ;) {
      const { events, next } = await follow(`limit=1&after=${after}`);
      if (events.length === 0) break;
      read.push(...events.map(({ position }) => position));
      after = next;
    }
    expect(read).toEqual(['1.0', '3.0', '3.1', '12.0']);
    expect((await follow('after=12.0')).next).toBe('12.0');
  });

  it('finds events behind many of another category', async () => {
    const metrics = Array.from({ length: 600 }, (_, n) => eventDocument(13 + n, { category: 'metrics' }));
    await gateway.project(2, [...metrics, eventDocument(700)]);
    expect(await positions('after=12.0&limit=1')).toEqual(['700.0']);
  });

  it('waits for the next event of its subject', async () => {
    const answer = follow(`cluster_id=${CLUSTER_ID}&after=3.1&wait=30`);
    await gateway.project(13, [eventDocument(13, { cluster_id: OTHER_CLUSTER_ID })]);
    await gateway.project(14, [eventDocument(14)]);
    expect((await answer).events.map(({ position }) => position)).toEqual(['14.0']);
  });

  it('answers busy when too many requests wait', async () => {
    const moved = jest.spyOn(ReadYourWrites.prototype, 'movedFrom');
    const url = `${gateway.url}${EVENTS}?after=12.0&wait=30`;
    const statusOf = async (): Promise<number> => (await fetch(url)).status;
    const waiting = Array.from({ length: WAITING_FOLLOWERS_MAX }, statusOf);
    await eventually('all requests wait', () => moved.mock.calls.length === WAITING_FOLLOWERS_MAX);
    expect(await statusOf()).toBe(503);
    await gateway.project(13, [eventDocument(13)]);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([200]));
  });

  it('no longer waits for a client that has gone', async () => {
    const moved = jest.spyOn(ReadYourWrites.prototype, 'movedFrom');
    const gone = new AbortController();
    const { length } = moved.mock.results;
    const request = fetch(`${gateway.url}${EVENTS}?after=12.0&wait=30`, { signal: gone.signal }).catch(() => undefined);
    await eventually('the request waits', () => moved.mock.results.length > length);
    gone.abort();
    await request;
    expect(await moved.mock.results.at(-1)?.value).toBe(false);
  }, 15_000);

  it('does not wait for a client that has gone before', async () => {
    const moved = jest.spyOn(ReadYourWrites.prototype, 'movedFrom');
    const gone = new AbortController();
    const { length } = moved.mock.results;
    jest.spyOn(EventScopes.prototype, 'readable').mockImplementationOnce(async (_caller, query) => {
      gone.abort();
      // The server receives the end of the connection.
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { query };
    });
    await fetch(`${gateway.url}${EVENTS}?after=12.0&wait=30`, { signal: gone.signal }).catch(() => undefined);
    await eventually('the request is at the end of the log', () => moved.mock.results.length > length);
    expect(await moved.mock.results.at(-1)?.value).toBe(false);
  }, 15_000);

  it('ends without an event when the time is over, and when the gateway stops', async () => {
    expect(await follow('after=12.0&wait=1')).toEqual({ events: [], next: '12.0' });
    const answer = follow('after=12.0&wait=30');
    await follow('after=12.0');
    await gateway.close();
    expect(await answer).toEqual({ events: [], next: '12.0' });
    gateway = await startRunningGateway();
  });

  it.each(['after=x', 'after=1.', 'limit=0', 'limit=1001', 'wait=31', 'wait=-1'])('refuses %s', async (query) => {
    expect((await gateway.call('GET', `${EVENTS}?${query}`)).status).toBe(400);
  });
});

describe('following the events as a user', () => {
  it('requires a cluster or an infra-env of the user', async () => {
    const issuer = await startTestIssuer();
    const gateway = await startRunningGateway({ AUTH_TYPE: 'oidc', OIDC_ISSUER_URL: issuer.url, ADMIN_USERS: 'root' });
    try {
      const ofAlice = { user_name: 'alice', org_id: 'wonderland' };
      const ofBob = { user_name: 'bob', org_id: 'builders' };
      await gateway.project(1, [
        clusterDocument(ofAlice),
        clusterDocument({ id: OTHER_CLUSTER_ID, ...ofBob }),
        eventDocument(1, ofAlice),
        eventDocument(2, { cluster_id: OTHER_CLUSTER_ID, ...ofBob }),
      ]);
      const ask = async (username: string, query: string): Promise<Answer> => {
        const authorization = `Bearer ${await issuer.token({ username, org_id: 'wonderland' })}`;
        return gateway.call('GET', `${EVENTS}?${query}`, { headers: { authorization } });
      };
      expect((await ask('alice', `cluster_id=${CLUSTER_ID}`)).body).toMatchObject({ events: [{ position: '1.0' }] });
      expect((await ask('alice', `cluster_id=${OTHER_CLUSTER_ID}`)).status).toBe(404);
      expect(await ask('alice', '')).toMatchObject({ status: 400, body: { type: 'urn:muster:problem:invalid-input' } });
      expect((await ask('root', '')).body).toMatchObject({ events: [{ position: '1.0' }, { position: '2.0' }] });
    } finally {
      await gateway.close();
      await issuer.close();
    }
  });

  it('answers busy to a user with many waiting requests, and still waits for another user', async () => {
    const issuer = await startTestIssuer();
    const gateway = await startRunningGateway({ AUTH_TYPE: 'oidc', OIDC_ISSUER_URL: issuer.url });
    try {
      await gateway.project(1, [
        clusterDocument({ user_name: 'alice' }),
        clusterDocument({ id: OTHER_CLUSTER_ID, user_name: 'bob' }),
      ]);
      const moved = jest.spyOn(ReadYourWrites.prototype, 'movedFrom');
      const { length } = moved.mock.calls;
      const asks = async (username: string, id: string): Promise<() => Promise<number>> => {
        const authorization = `Bearer ${await issuer.token({ username })}`;
        const url = `${gateway.url}${EVENTS}?cluster_id=${id}&wait=30`;
        return async () => (await fetch(url, { headers: { authorization } })).status;
      };
      const alice = await asks('alice', CLUSTER_ID);
      const bob = await asks('bob', OTHER_CLUSTER_ID);
      const waiting = Array.from({ length: WAITING_FOLLOWERS_OF_USER_MAX }, alice);
      const waits = (count: number): Promise<unknown> =>
        eventually('the requests wait', () => moved.mock.calls.length === length + count);
      await waits(WAITING_FOLLOWERS_OF_USER_MAX);
      expect(await alice()).toBe(503);
      waiting.push(bob());
      await waits(WAITING_FOLLOWERS_OF_USER_MAX + 1);
      await gateway.project(2, [eventDocument(2), eventDocument(3, { cluster_id: OTHER_CLUSTER_ID })]);
      expect(new Set(await Promise.all(waiting))).toEqual(new Set([200]));
    } finally {
      await gateway.close();
      await issuer.close();
    }
  });
});
