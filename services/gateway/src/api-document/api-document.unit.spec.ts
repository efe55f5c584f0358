import { PROBLEMS } from '@muster/problems';
import type { OpenAPIObject } from '@nestjs/swagger';
import { createApiDocument } from '../main';
import { checkerOf } from './answer-checker.fixture.spec';
import { ERROR_ROWS } from './answers.decorator';
import { hoistSchemas } from './finish-document';

interface Operation {
  readonly summary?: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly description?: string }[];
  readonly security?: readonly object[];
  readonly responses: { readonly [status: string]: unknown };
}

const operationsOf = ({ paths }: OpenAPIObject): readonly (readonly [string, Operation])[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as { readonly [method: string]: Operation }).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    ),
  );

/** Returns the members without a description in `properties` of any depth, as `schema.member`. */
function silentMembersOf(value: unknown, owner = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    name === 'properties' && typeof inner === 'object'
      ? Object.entries(inner ?? {}).flatMap(([member, schema]: [string, { readonly description?: string }]) => [
          ...(schema.description ? [] : [`${owner}.${member}`]),
          ...silentMembersOf(schema, `${owner}.${member}`),
        ])
      : silentMembersOf(inner, Array.isArray(value) || name === 'items' ? owner : name),
  );
}

describe('the API document', () => {
  let document: OpenAPIObject;
  beforeAll(async () => {
    document = await createApiDocument();
  });

  it('describes every route and its responses', () => {
    const silent = operationsOf(document).flatMap(([name, { summary, responses }]) =>
      summary && Object.keys(responses).some((status) => status.startsWith('2'))
        ? []
        : [
            `${name}: put @Answers, @AnswersNothing or @AnswersFile of api-document/answers.decorator.ts on its handler`,
          ],
    );
    expect(silent).toEqual([]);
  });

  it('describes every parameter in a path', () => {
    const silent = operationsOf(document).flatMap(([name, { parameters = [] }]) =>
      [...name.matchAll(/\{(\w+)\}/g)].flatMap(([, parameter]) =>
        parameters.some((listed) => listed.in === 'path' && listed.name === parameter)
          ? []
          : [`${name}: take ${parameter} with @Param`],
      ),
    );
    expect(silent).toEqual([]);
  });

  it('describes every member of every schema, and every parameter', () => {
    const silent = [
      ...silentMembersOf(document.components?.schemas),
      ...operationsOf(document).flatMap(([name, { parameters = [], ...operation }]) => [
        ...parameters.flatMap((listed) => (listed.description ? [] : [`${name}: ${listed.name}`])),
        ...silentMembersOf(operation).map((member) => `${name}: ${member}`),
      ]),
    ];
    expect(silent).toEqual([]);
  });

  it('describes Idempotency-Key for every operation that writes with credentials, and for no other', () => {
    const described = operationsOf(document).filter(([, { parameters = [] }]) =>
      parameters.some((listed) => listed.in === 'header' && listed.name === 'Idempotency-Key'),
    );
    const writing = operationsOf(document).filter(
      ([name, { security = [] }]) => !name.startsWith('GET ') && security[0],
    );
    expect(described.map(([name]) => name)).toEqual(writing.map(([name]) => name));
    expect(writing.length).toBeGreaterThan(30);
  });

  it('describes a full disk for the reads that may store something', () => {
    const reads = operationsOf(document).filter(([name, { responses }]) => name.startsWith('GET ') && responses['507']);
    expect(reads.map(([name]) => name.replace('/api/assisted-install/v2/infra-envs/{infra_env_id}', ''))).toEqual([
      'GET /downloads/files',
      'GET /hosts/{host_id}/instructions',
    ]);
  });

  it('gives every operation an id of its own', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods as { readonly [method: string]: { readonly operationId: string } }).map(
        ({ operationId }) => operationId,
      ),
    );
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('describes errors of the Muster API as problems, and those of other paths as errors of the v2 API', () => {
    const typesOf = (path: string): readonly string[] => {
      const { responses } = document.paths[path]?.get as Operation;
      const { $ref } = responses['404'] as { readonly $ref: string };
      const named = document.components?.responses?.[$ref.split('/').at(-1) ?? ''];
      return Object.keys((named as { readonly content: object }).content);
    };
    expect(typesOf('/api/muster/v1/clusters/{cluster_id}/timeline')).toEqual(['application/problem+json']);
    expect(typesOf('/api/assisted-install/v2/clusters/{cluster_id}')).toEqual(['application/json']);
  });

  it('describes every status of a refusal, and that of a slow body', () => {
    const described = ERROR_ROWS.map(({ status }) => status);
    expect(described).toEqual(expect.arrayContaining(Object.values(PROBLEMS).map(({ status }) => status)));
    const { responses } = document.paths['/api/assisted-install/v2/clusters']?.post as Operation;
    expect(responses).toMatchObject({ 408: { $ref: '#/components/responses/too-slow' } });
  });

  it('reports responses with a member that the document does not describe', () => {
    const check = checkerOf(document);
    const path = '/api/assisted-install/v2/component-versions';
    expect(check('GET', path, 200, { versions: { agent: '1' }, release_tag: 'v1' })).toBeUndefined();
    expect(check('GET', path, 200, { versions: { agent: 1 }, release_tag: 'v1' })).toContain('must be string');
    expect(check('GET', path, 200, { versions: {}, release_tag: 'v1', more: 1 })).toContain('additional');
    expect(check('GET', path, 418, {})).toContain('does not describe');
    expect(check('GET', '/elsewhere', 200, 'anything')).toBeUndefined();
  });
});

describe('schemas with a title', () => {
  const lid = { title: 'lid', type: 'object', properties: { title: { type: 'string' } } };

  it('are moved to the components, while members that are named title stay', () => {
    expect(hoistSchemas({ a: lid, b: { type: 'array', items: lid } })).toEqual({
      tree: {
        a: { $ref: '#/components/schemas/lid' },
        b: { type: 'array', items: { $ref: '#/components/schemas/lid' } },
      },
      schemas: { lid: { type: 'object', properties: { title: { type: 'string' } } } },
    });
  });

  it('are refused when two different schemas have one title', () => {
    expect(() => hoistSchemas([lid, { title: 'lid', type: 'string' }])).toThrow('Two schemas are named lid');
  });
});
