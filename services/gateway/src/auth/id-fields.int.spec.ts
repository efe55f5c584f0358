import { generateKeyPairSync } from 'node:crypto';
import {
  EventsService,
  IgnitionService,
  InventoryService,
  PULL_SECRET,
  RegistrationService,
  ValidationService,
} from '@muster/contracts';
import { agentTokenKey, signImageToken } from '@muster/nest-kit';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createApiDocument } from '../main';
import { type Answer, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import {
  CLUSTER_ID,
  clusterDocument,
  HOST_ID,
  hostDocument,
  INFRA_ENV_ID,
  infraEnvDocument,
} from '../sample-documents.fixture.spec';
import { bodyWith, type IdField, idFieldsOf, memberOf, nameOf } from './id-fields.fixture.spec';
import { startTestIssuer, type TestIssuer } from './test-issuer.fixture.spec';

const BOBS_INFRA_ENV = '2f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f6';
const BOBS_CLUSTER = '3f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f7';
const BOBS_HOST = '4f1e0d3c-4b5a-4978-8695-a4b3c2d1e0f8';

/** Members that name a resource of a tenant, with one of the caller and one of another tenant. */
const RESOURCES: ReadonlyMap<string, { readonly own: string; readonly foreign: string }> = new Map([
  ['cluster_id', { own: BOBS_CLUSTER, foreign: CLUSTER_ID }],
  ['infra_env_id', { own: BOBS_INFRA_ENV, foreign: INFRA_ENV_ID }],
  ['host_id', { own: BOBS_HOST, foreign: HOST_ID }],
  ['host_ids', { own: BOBS_HOST, foreign: HOST_ID }],
]);

/** Every other field with the name or the format of an id, with the reason why it reaches nothing of another tenant. */
const OTHER_IDS: ReadonlyMap<string, string> = new Map([
  ['ams_subscription_ids.[]', 'A filter of the list of own clusters.'],
  ['cluster-validation-ids', 'Names of rules.'],
  ['cluster_validation_ids.[]', 'Names of rules.'],
  ['disks_selected_config.[].id', 'A disk of the host in the path.'],
  ['disks_skip_formatting.[].disk_id', 'A disk of the host in the path.'],
  ['feature_ids.[]', 'Names of features.'],
  ['host-validation-ids', 'Names of rules.'],
  ['host_validation_ids.[]', 'Names of rules.'],
  ['hosts.[].host_id', 'A host that the request describes.'],
  ['hosts.[].installation_disk_id', 'A disk of the inventory in the request.'],
  ['id', 'A bundle of operators.'],
  [
    'openshift_cluster_id',
    'A cluster outside of this service: a value of the new cluster, or a filter of own clusters.',
  ],
  ['operator_bundles.[].id', 'A bundle of operators.'],
  ['cluster.operator_bundles.[].id', 'A bundle of operators.'],
  ['request_id', 'A text of the event.'],
  ['step_id', 'A step of the host in the path.'],
  ['validation_id', 'The name of a rule.'],
]);

/** Ids of hosts in a path or a body belong to the infra-env in the path: another tenant has no such pair. */
const ofPathsInfraEnv = ({ path, place, steps }: IdField): boolean =>
  path.includes('{infra_env_id}') && steps.join('.') === 'host_id' && place !== 'query';

const references = (document: OpenAPIObject): readonly IdField[] =>
  idFieldsOf(document).filter(
    (field) => RESOURCES.has(memberOf(field)) && !OTHER_IDS.has(field.steps.join('.')) && !ofPathsInfraEnv(field),
  );
const unknownIds = (document: OpenAPIObject): readonly string[] =>
  idFieldsOf(document)
    .filter((field) => !RESOURCES.has(memberOf(field)) && !OTHER_IDS.has(field.steps.join('.')))
    .map(nameOf);

/** Fields that only filter a list: an id of another tenant matches nothing, as one that does not exist. */
const FILTERS: ReadonlySet<string> = new Set([
  'GET /api/assisted-install/v2/infra-envs query cluster_id',
  'GET /api/assisted-install/v2/events query host_id',
  'GET /api/assisted-install/v2/events query host_ids.[]',
]);
const UNKNOWN_ID = '7f1e0d3c-4b5a-4978-8695-a4b3c2d1e0fb';

interface Credentials {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** The request with one id of the given side; ids of the path beside it are the caller's own. */
async function call(
  gateway: RunningGateway,
  field: IdField,
  side: 'own' | 'foreign' | 'unknown',
  { headers = {}, query = {} }: Credentials,
): Promise<Answer> {
  const { method, path, place, steps } = field;
  const id = side === 'unknown' ? UNKNOWN_ID : (RESOURCES.get(memberOf(field))?.[side] ?? '');
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    place === 'path' && steps[0] === name ? id : (RESOURCES.get(name)?.own ?? 'x'),
  );
  const parameters = new URLSearchParams({ ...query, ...(place === 'query' && { [steps[0] ?? '']: id }) });
  const hasBody = !['path', 'query', 'header'].includes(place);
  return gateway.call(method, `${filled}?${parameters.toString()}`, {
    json: hasBody ? bodyWith(steps, id) : undefined,
    headers: { ...headers, ...(place === 'header' && { [steps[0] ?? '']: id }) },
  });
}

/** The reason of the id check. A handler reports a missing resource with another text. */
const isRefusedAccess = ({ status, text }: Answer): boolean =>
  status === 401 || status === 403 || (status === 404 && /Not found, or [^.]* access to it\./.test(text));

async function fill(gateway: RunningGateway): Promise<void> {
  const [alice, bob] = [
    { user_name: 'alice', org_id: 'wonderland' },
    { user_name: 'bob', org_id: 'builders' },
  ];
  await gateway.project(1, [
    clusterDocument(alice),
    infraEnvDocument(alice),
    hostDocument(),
    clusterDocument({ id: BOBS_CLUSTER, ...bob }),
    infraEnvDocument({ id: BOBS_INFRA_ENV, cluster_id: BOBS_CLUSTER, ...bob }),
    hostDocument({ id: BOBS_HOST, infra_env_id: BOBS_INFRA_ENV, cluster_id: BOBS_CLUSTER }),
  ]);
  const services = [RegistrationService, InventoryService, ValidationService, IgnitionService, EventsService];
  for (const service of services)
    for (const method of service.methods)
      await gateway.refuses(method, { code: 'invalid-input', reason: 'The request reached the service.' });
}

/** Drives every field with a foreign and with an own id. */
function checksEveryField(
  gatewayOf: () => RunningGateway,
  kinds: readonly [string, () => Promise<Credentials>][],
): void {
  it.each(kinds)('are refused to %s when they belong to another tenant, and only then', async (_, credentialsOf) => {
    const [gateway, credentials] = [gatewayOf(), await credentialsOf()];
    const fields = references(await createApiDocument());
    const [served, refused]: [string[], string[]] = [[], []];
    let admitted = 0;
    for (const field of fields) {
      const foreign = await call(gateway, field, 'foreign', credentials);
      const isEmptyList = FILTERS.has(nameOf(field)) && foreign.text === '[]';
      if (!isRefusedAccess(foreign) && !isEmptyList) served.push(`${nameOf(field)}: ${foreign.status} ${foreign.text}`);
      if (foreign.status !== 404) continue;
      const own = await call(gateway, field, 'own', credentials);
      if (isRefusedAccess(own)) refused.push(`${nameOf(field)}: ${own.status} ${own.text}`);
      else admitted += 1;
    }
    expect({ served, refused }).toEqual({ served: [], refused: [] });
    expect(admitted).toBeGreaterThan(0);
    const foreignIds = [...RESOURCES.values()].map(({ foreign }) => foreign);
    const asked = gateway.received.map((request) => JSON.stringify(request));
    expect(asked.filter((request) => foreignIds.some((id) => request.includes(id)))).toEqual([]);
  });
}

describe('Fields with ids in the API document', () => {
  it('name a resource of a tenant or are known to name none', async () => {
    const document = await createApiDocument();
    expect(unknownIds(document)).toEqual([]);
    const known = new Set(idFieldsOf(document).map(({ steps }) => steps.join('.')));
    expect([...OTHER_IDS.keys()].filter((name) => !known.has(name))).toEqual([]);
  });

  it('are found in paths, queries and bodies, in lists and members of members', async () => {
    expect(references(await createApiDocument()).map(nameOf)).toEqual(
      expect.arrayContaining([
        'GET /api/assisted-install/v2/clusters/{cluster_id} path cluster_id',
        'GET /api/assisted-install/v2/events query host_ids.[]',
        'POST /api/assisted-install/v2/events application/json host_id',
        'PATCH /api/assisted-install/v2/clusters/{cluster_id} application/json api_vips.[].cluster_id',
        'POST /api/muster/v1/preflight application/json cluster.api_vips.[].cluster_id',
      ]),
    );
  });

  it.each([
    ['owner', { type: 'string', format: 'uuid' }, 'owner'],
    ['template_id', { type: 'string' }, 'template_id'],
    ['peers', { type: 'array', items: { type: 'string', format: 'uuid' } }, 'peers.[]'],
    [
      'peers',
      { type: 'array', items: { type: 'object', properties: { env_id: { type: 'string' } } } },
      'peers.[].env_id',
    ],
    ['by_zone', { type: 'object', additionalProperties: { type: 'string', format: 'uuid' } }, 'by_zone.{}'],
  ])('are unknown when a new one is added: %s', (name, schema, steps) => {
    const body = { content: { 'multipart/form-data': { schema: { $ref: '#/components/schemas/New' } } } };
    const document = {
      paths: { '/new': { put: { parameters: [{ in: 'header', name, schema }], requestBody: body } } },
      components: { schemas: { New: { allOf: [{ properties: { [name]: schema } }] } } },
    } as unknown as OpenAPIObject;
    expect(unknownIds(document)).toEqual([`PUT /new header ${steps}`, `PUT /new multipart/form-data ${steps}`]);
  });
});

describe('Ids of every field, AUTH_TYPE=oidc,', () => {
  let issuer: TestIssuer;
  let gateway: RunningGateway;
  beforeAll(async () => {
    issuer = await startTestIssuer();
    gateway = await startRunningGateway({
      AUTH_TYPE: 'oidc',
      OIDC_ISSUER_URL: issuer.url,
      FAILED_PROOFS_PER_MINUTE_MAX: '0',
    });
    await fill(gateway);
    const pullSecret = JSON.stringify({ auths: { 'cloud.openshift.com': { auth: 'entry-of-bob' } } });
    for (const id of [BOBS_INFRA_ENV, BOBS_CLUSTER])
      await gateway.platform.secrets.seal(id, PULL_SECRET, Buffer.from(pullSecret));
  });
  afterAll(async () => {
    await gateway.close();
    await issuer.close();
  });
  const agentToken = async (scope: Record<string, string>): Promise<Credentials> => {
    const { SignJWT } = await import('jose');
    const claims = new SignJWT(scope).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1h');
    return { headers: { 'x-secret-key': await claims.sign(await agentTokenKey(gateway.platform.secrets)) } };
  };
  const imageToken = (): Promise<string> =>
    signImageToken(gateway.platform.secrets, BOBS_INFRA_ENV, Date.now() + 3_600_000);

  checksEveryField(
    () => gateway,
    [
      [
        'a user',
        async () => ({
          headers: { authorization: `Bearer ${await issuer.token({ username: 'bob', org_id: 'builders' })}` },
        }),
      ],
      ["an infra-env's token", () => agentToken({ infra_env_id: BOBS_INFRA_ENV })],
      ["a cluster's token", () => agentToken({ cluster_id: BOBS_CLUSTER })],
      ['the entry of a pull secret', async () => ({ headers: { 'x-secret-key': 'entry-of-bob' } })],
    ],
  );

  it('are answered to a user as ids that do not exist when they belong to another tenant', async () => {
    const token = await issuer.token({ username: 'bob', org_id: 'builders' });
    const credentials = { headers: { authorization: `Bearer ${token}` } };
    const [foreign, unknown]: [string[], string[]] = [[], []];
    for (const field of references(await createApiDocument())) {
      const { foreign: id = '' } = RESOURCES.get(memberOf(field)) ?? {};
      const answerTo = async (side: 'foreign' | 'unknown'): Promise<string> => {
        const { status, text } = await call(gateway, field, side, credentials);
        return `${nameOf(field)}: ${status} ${text.replaceAll(id, UNKNOWN_ID)}`;
      };
      foreign.push(await answerTo('foreign'));
      unknown.push(await answerTo('unknown'));
    }
    expect(unknown).toEqual(foreign);
  });

  it.each([
    ['in a header', async (): Promise<Credentials> => ({ headers: { 'image-token': await imageToken() } })],
    ['in the URL', async (): Promise<Credentials> => ({ query: { image_token: await imageToken() } })],
  ])('are refused to the token of an image %s when they belong to another tenant', async (_, credentialsOf) => {
    const credentials = await credentialsOf();
    for (const field of references(await createApiDocument()))
      expect([nameOf(field), isRefusedAccess(await call(gateway, field, 'foreign', credentials))]).toEqual([
        nameOf(field),
        true,
      ]);
  });
});

describe('Ids of every field, AUTH_TYPE=local,', () => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway({
      AUTH_TYPE: 'local',
      FAILED_PROOFS_PER_MINUTE_MAX: '0',
      EC_PUBLIC_KEY_PEM: keys.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      EC_PRIVATE_KEY_PEM: keys.privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
    });
    await fill(gateway);
  });
  afterAll(() => gateway.close());
  const token = async (scope: Record<string, string>): Promise<string> => {
    const { SignJWT } = await import('jose');
    return new SignJWT(scope).setProtectedHeader({ alg: 'ES256' }).sign(keys.privateKey);
  };

  checksEveryField(
    () => gateway,
    [
      [
        "an infra-env's token",
        async () => ({ headers: { 'x-secret-key': await token({ infra_env_id: BOBS_INFRA_ENV }) } }),
      ],
      [
        "an infra-env's token in the URL",
        async () => ({ query: { api_key: await token({ infra_env_id: BOBS_INFRA_ENV }) } }),
      ],
      ["a cluster's token", async () => ({ headers: { 'x-secret-key': await token({ cluster_id: BOBS_CLUSTER }) } })],
    ],
  );
});
