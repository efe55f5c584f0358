import { connect } from 'node:net';
import { EventsService } from '@muster/contracts';
import { agentTokenKey } from '@muster/nest-kit';
import { eventually } from '@muster/testing';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createApiDocument } from '../main';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import {
  CLUSTER_ID,
  clusterDocument,
  eventDocument,
  HOST_ID,
  hostDocument,
  INFRA_ENV_ID,
  infraEnvDocument,
} from '../sample-documents.fixture.spec';
import { startTestIssuer, type TestIssuer } from './test-issuer.fixture.spec';

const BOBS_INFRA_ENV = '2f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f6';
const BOBS_CLUSTER = '3f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f7';
const BOBS_HOST = '4f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f8';
const PATH_IDS: ReadonlyMap<string, string> = new Map([
  ['cluster_id', BOBS_CLUSTER],
  ['infra_env_id', BOBS_INFRA_ENV],
  ['host_id', BOBS_HOST],
]);
const ALICES_IDS: ReadonlyMap<string, string> = new Map([
  ['cluster_id', CLUSTER_ID],
  ['infra_env_id', INFRA_ENV_ID],
  ['host_id', HOST_ID],
  ['host_ids', HOST_ID],
]);

/** Fields that are named like an id and do not refer to a resource of another tenant. */
const NOT_A_REFERENCE: ReadonlyMap<string, string> = new Map([
  ['POST /api/assisted-install/v2/infra-envs/{infra_env_id}/hosts host_id', 'The host of the infra-env in the path.'],
]);

/** Required fields beside the id under test. */
const OTHER_FIELDS: Readonly<Record<string, unknown>> = {
  name: 'one',
  openshift_version: '4.18',
  pull_secret: '{"auths":{"a":{"auth":"YTpi"}}}',
  severity: 'info',
  message: 'text',
  event_time: '2026-01-02T03:04:05Z',
  logs_type: 'host',
};

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}
interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
interface NamedId {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly json?: Readonly<Record<string, unknown>>;
}

/** Every field of a query or a body in the API document that is named like the id of a resource. */
function namedIds(document: OpenAPIObject): readonly NamedId[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Readonly<Record<string, Operation>>).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const filled = path.replace(/\{(\w+)\}/g, (_, id: string) => PATH_IDS.get(id) ?? 'x');
      const request = { method: method.toUpperCase(), path: filled };
      const queries = (operation.parameters ?? []).filter(({ in: place }) => place === 'query');
      const required = queries.filter((one) => one.required).map((one) => [one.name, String(OTHER_FIELDS[one.name])]);
      const ofQuery = queries
        .filter((one) => ALICES_IDS.has(one.name))
        .map((one) => ({
          ...request,
          name: `${name} ${one.name}`,
          query: Object.fromEntries([...required, [one.name, ALICES_IDS.get(one.name)]]) as Record<string, string>,
        }));
      const schema = bodyOf(document, operation);
      const others = Object.fromEntries((schema?.required ?? []).map((field) => [field, OTHER_FIELDS[field]]));
      const ofBody = Object.keys(schema?.properties ?? {})
        .filter((field) => ALICES_IDS.has(field))
        .map((field) => ({
          ...request,
          name: `${name} ${field}`,
          query: {},
          json: { ...others, [field]: ALICES_IDS.get(field) },
        }));
      return [...ofQuery, ...ofBody].filter((one) => !NOT_A_REFERENCE.has(one.name));
    }),
  );
}

function bodyOf(document: OpenAPIObject, { requestBody }: Operation): Schema | undefined {
  const reference = requestBody?.content['application/json']?.schema.$ref?.split('/').at(-1);
  return reference === undefined ? undefined : (document.components?.schemas?.[reference] as Schema | undefined);
}

describe('ids in a query or a body', () => {
  let issuer: TestIssuer;
  let gateway: RunningGateway;
  let ids: readonly NamedId[];
  beforeAll(async () => {
    issuer = await startTestIssuer();
    gateway = await startRunningGateway({
      AUTH_TYPE: 'oidc',
      OIDC_ISSUER_URL: issuer.url,
      EVENTS_PER_MINUTE_MAX: '2',
    });
    const bob = { user_name: 'bob', org_id: 'builders' };
    await gateway.project(1, [
      clusterDocument({ user_name: 'alice', org_id: 'wonderland' }),
      infraEnvDocument({ user_name: 'alice', org_id: 'wonderland' }),
      hostDocument(),
      clusterDocument({ id: BOBS_CLUSTER, ...bob }),
      infraEnvDocument({ id: BOBS_INFRA_ENV, cluster_id: BOBS_CLUSTER, ...bob }),
      hostDocument({ id: BOBS_HOST, infra_env_id: BOBS_INFRA_ENV, cluster_id: BOBS_CLUSTER }),
    ]);
    ids = namedIds(await createApiDocument());
  });
  afterAll(async () => {
    await gateway.close();
    await issuer.close();
  });

  const agentHeaders = async (): Promise<Record<string, string>> => {
    const { SignJWT } = await import('jose');
    const claims = new SignJWT({ infra_env_id: BOBS_INFRA_ENV }).setProtectedHeader({ alg: 'HS256' });
    const token = await claims.setExpirationTime('1h').sign(await agentTokenKey(gateway.platform.secrets));
    return { 'x-secret-key': token };
  };
  const userHeaders = async (): Promise<Record<string, string>> => ({
    authorization: `Bearer ${await issuer.token({ username: 'bob', org_id: 'builders' })}`,
  });

  it('are found in the API document', () => {
    expect(ids.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'POST /api/assisted-install/v2/events cluster_id',
        'POST /api/assisted-install/v2/events host_id',
        'POST /api/assisted-install/v2/events infra_env_id',
        'GET /api/assisted-install/v2/events host_ids',
        'POST /api/assisted-install/v2/infra-envs cluster_id',
        'POST /api/assisted-install/v2/infra-envs/{infra_env_id}/hosts/{host_id}/actions/bind cluster_id',
      ]),
    );
  });

  it.each([
    ['a user', userHeaders],
    ["an infra-env's token", agentHeaders],
  ])('are refused when they belong to another tenant than %s', async (_, headersOf) => {
    const headers = await headersOf();
    const served: string[] = [];
    for (const { name, method, path, query, json } of ids) {
      const { status } = await gateway.call(method, `${path}?${new URLSearchParams(query).toString()}`, {
        json,
        headers,
      });
      if (![401, 403, 404].includes(status)) served.push(`${name}: ${status}`);
    }
    expect(served).toEqual([]);
    expect(gateway.asked).toEqual([]);
  });

  it("are refused beside an id of the token's own infra-env", async () => {
    const event = { severity: 'info', message: 'text', event_time: '2026-01-02T03:04:05Z' };
    const headers = await agentHeaders();
    for (const foreign of [{ cluster_id: CLUSTER_ID }, { host_id: HOST_ID, infra_env_id: INFRA_ENV_ID }]) {
      const json = { ...event, infra_env_id: BOBS_INFRA_ENV, ...foreign };
      expect(await gateway.call('POST', `${API}/v2/events`, { json, headers })).toMatchObject({ status: 404 });
    }
    expect(gateway.asked).toEqual([]);
  });

  it('return the events of a machine that moved between tenants to each tenant for its own infra-env only', async () => {
    const moved = 'e1b5a0f4-6f0f-4a4b-9c0a-00000000aaaa';
    const ofHost = (ordinal: number, infra_env_id: string) =>
      eventDocument(ordinal, { cluster_id: undefined, host_id: moved, infra_env_id });
    await gateway.project(2, [
      hostDocument({ id: moved }),
      hostDocument({ id: moved, infra_env_id: BOBS_INFRA_ENV, cluster_id: BOBS_CLUSTER }),
      ofHost(1, INFRA_ENV_ID),
      ofHost(2, BOBS_INFRA_ENV),
    ]);
    const messages = async (headers: Record<string, string>): Promise<unknown> => {
      const answer = await gateway.call('GET', `${API}/v2/events?host_ids=${moved}`, { headers });
      return (answer.body as { message: string }[]).map(({ message }) => message);
    };
    const alice = await issuer.token({ username: 'alice', org_id: 'wonderland' });
    expect(await messages({ authorization: `Bearer ${alice}` })).toEqual(['event 1']);
    expect(await messages(await userHeaders())).toEqual(['event 2']);
  });

  it('are refused with 429 when one token adds more events than the limit', async () => {
    await gateway.answers(EventsService.method.recordNote, () => ({}));
    const json = {
      severity: 'info',
      message: 'text',
      event_time: '2026-01-02T03:04:05Z',
      infra_env_id: BOBS_INFRA_ENV,
    };
    const headers = await agentHeaders();
    const add = async (): Promise<number> => (await gateway.call('POST', `${API}/v2/events`, { json, headers })).status;
    expect([await add(), await add(), await add()]).toEqual([201, 201, 429]);
    gateway.asked.length = 0;
  });

  it('are checked after authentication: the gateway does not read a body without credentials', async () => {
    const { hostname, port } = new URL(gateway.url);
    let answer = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST ${API}/v2/clusters HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n{"name":`,
      ),
    );
    socket.on('data', (chunk) => (answer += chunk.toString()));
    // The rest of the body is never sent. A response shows that the gateway does not wait for it.
    await eventually('an answer', () => answer !== '');
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});
