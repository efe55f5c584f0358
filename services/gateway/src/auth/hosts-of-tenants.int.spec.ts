import { API, type Answer, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import {
  clusterDocument,
  eventDocument,
  hostDocument,
  INFRA_ENV_ID,
  infraEnvDocument,
} from '../sample-documents.fixture.spec';
import { startTestIssuer, type TestIssuer } from './test-issuer.fixture.spec';

const BOBS_INFRA_ENV = '2f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f6';
const BOBS_CLUSTER = '3f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f7';
const REMOVED_CLUSTER = '5f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f9';
const HOST = 'e1b5a0f4-6f0f-4a4b-9c0a-00000000aaaa';
const OTHER_HOST = 'e1b5a0f4-6f0f-4a4b-9c0a-00000000bbbb';
const THIRD_HOST = 'e1b5a0f4-6f0f-4a4b-9c0a-00000000cccc';

const ALICE = { user_name: 'alice', org_id: 'wonderland' };
const BOB = { user_name: 'bob', org_id: 'builders' };

describe('hosts of several tenants', () => {
  let issuer: TestIssuer;
  let gateway: RunningGateway;
  beforeAll(async () => {
    issuer = await startTestIssuer();
    gateway = await startRunningGateway({ AUTH_TYPE: 'oidc', OIDC_ISSUER_URL: issuer.url });
    await gateway.project(1, [
      infraEnvDocument({ cluster_id: undefined, ...ALICE }),
      infraEnvDocument({ id: BOBS_INFRA_ENV, cluster_id: undefined, ...BOB }),
      clusterDocument({ id: BOBS_CLUSTER, ...BOB }),
    ]);
  });
  afterAll(async () => {
    await gateway.close();
    await issuer.close();
  });

  const as = async ({ user_name: username, org_id }: typeof ALICE, path: string): Promise<Answer> => {
    const authorization = `Bearer ${await issuer.token({ username, org_id })}`;
    return gateway.call('GET', `${API}${path}`, { headers: { authorization } });
  };

  it('belong to the owner of their infra-env as soon as their cluster is removed', async () => {
    await gateway.project(2, [hostDocument({ id: HOST, cluster_id: REMOVED_CLUSTER })]);
    const path = `/v2/infra-envs/${INFRA_ENV_ID}/hosts/${HOST}`;
    expect((await as(BOB, path)).status).toBe(404);
    expect((await as(ALICE, path)).status).toBe(200);
  });

  it('have their events listed for the infra-envs in which the user may read them', async () => {
    const ofHost = (ordinal: number, host_id: string, infra_env_id: string) =>
      eventDocument(ordinal, { cluster_id: undefined, host_id, infra_env_id, severity: 'warning' });
    await gateway.project(3, [
      // Two machines with the same id. Bob may read one of them.
      hostDocument({ id: OTHER_HOST, cluster_id: undefined }),
      hostDocument({ id: OTHER_HOST, infra_env_id: BOBS_INFRA_ENV, cluster_id: undefined }),
      // A host of Alice's infra-env in Bob's cluster.
      hostDocument({ id: THIRD_HOST, cluster_id: BOBS_CLUSTER }),
      ofHost(1, OTHER_HOST, INFRA_ENV_ID),
      ofHost(2, OTHER_HOST, BOBS_INFRA_ENV),
      ofHost(3, THIRD_HOST, INFRA_ENV_ID),
      // The host was in this infra-env before.
      ofHost(4, THIRD_HOST, BOBS_INFRA_ENV),
      ofHost(5, OTHER_HOST, BOBS_INFRA_ENV),
    ]);
    const list = async (query: string): Promise<unknown> => {
      const answer = await as(BOB, `/v2/events?host_ids=${OTHER_HOST},${THIRD_HOST}${query}`);
      const messages = (answer.body as { message: string }[]).map(({ message }) => message);
      return [answer.headers.get('event-count'), messages];
    };
    expect(await list('')).toEqual(['3', ['event 2', 'event 3', 'event 5']]);
    expect(await list('&order=descending&limit=1&offset=1')).toEqual(['3', ['event 3']]);
    expect(await list('&severities=info')).toEqual(['0', []]);
  });

  it('are not combined with the infra-envs of other hosts, which could be a million combinations', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => `e1b5a0f4-6f0f-4a4b-9c0a-0000000000${n + 10}`);
    await gateway.project(
      4,
      ids.flatMap((id) => [
        infraEnvDocument({ id, cluster_id: undefined, ...BOB }),
        hostDocument({ id, infra_env_id: id, cluster_id: undefined }),
        eventDocument(100, { cluster_id: undefined, host_id: id, infra_env_id: id }),
      ]),
    );
    const find = jest.spyOn(gateway.platform.readModels, 'find');
    expect((await as(BOB, `/v2/events?host_ids=${ids.join()}`)).headers.get('event-count')).toBe('1');
    const combinations = find.mock.calls.map(([{ where }]) =>
      Object.values({ ...where }).reduce<number>((product, value) => product * [value].flat().length, 1),
    );
    expect(Math.max(...combinations)).toBe(1);
    find.mockRestore();
  });
});
