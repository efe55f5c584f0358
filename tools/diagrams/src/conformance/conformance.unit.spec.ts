import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiPages, compareWithContract, CONFORMANCE_PAGE, differencesTable, hasContract } from '../api-pages';
import { API_FOLDER } from '../main';
import { compareOperations } from './compare-operations';
import { type Json, readContract, readOwnDocument } from './read-operations';
import { reasonOf, REASONS } from './reasons.table';

const withContract = hasContract() ? it : it.skip;
const missing = hasContract() ? '' : ' (skipped: the contract is not in ../shared)';

const ownDocument = (): Json => JSON.parse(readFileSync(join(API_FOLDER, 'openapi.json'), 'utf8')) as Json;

describe('the API document', () => {
  it('equals the document of the gateway (otherwise: npm run build, then node tools/diagrams/dist/main.js)', async () => {
    expect((await apiPages(API_FOLDER)).get('openapi.json')).toBe(
      readFileSync(join(API_FOLDER, 'openapi.json'), 'utf8'),
    );
  });

  withContract(`differs from the contract only for documented reasons${missing}`, () => {
    const { differences, page } = compareWithContract(ownDocument());
    const counts = REASONS.map(({ id }) => [id, differences.filter((one) => reasonOf(one)?.id === id).length] as const);
    console.log(
      ['Differences from the contract:', ...counts.map(([id, count]) => `${String(count).padStart(5)}  ${id}`)].join(
        '\n',
      ),
    );
    expect(differencesTable(differences.filter((one) => reasonOf(one) === undefined)).slice(2)).toEqual([]);
    expect(counts.filter(([, count]) => count === 0)).toEqual([]);
    expect(page).toBe(readFileSync(join(API_FOLDER, CONFORMANCE_PAGE), 'utf8'));
  });
});

const CONTRACT: Json = {
  paths: {
    '/boxes/{id}': {
      post: {
        parameters: [
          { in: 'path', name: 'id', type: 'string', format: 'uuid', required: true },
          { in: 'query', name: 'open', type: 'boolean', default: false },
          { in: 'body', name: 'box', required: true, schema: { $ref: '#/definitions/box' } },
        ],
        responses: {
          200: { description: '', headers: { Count: { type: 'integer' } }, schema: { $ref: '#/definitions/box' } },
          404: { description: '' },
        },
      },
    },
    '/lids': { get: { responses: { 200: { description: '' } } } },
  },
  definitions: {
    box: {
      type: 'object',
      required: ['form'],
      properties: {
        form: { type: 'string', enum: ['round', 'square'] },
        depth: { type: 'integer', minimum: 1 },
        lids: { type: 'array', items: { $ref: '#/definitions/lid' } },
      },
    },
    lid: { type: 'object', properties: { colour: { type: 'string' } } },
  },
};

const LID = { type: 'object', properties: { colour: { type: 'string' } } };
const BOX = {
  type: 'object',
  required: ['form'],
  properties: {
    form: { type: 'string', enum: ['square', 'round'] },
    depth: { type: 'integer', minimum: 1 },
    lids: { type: 'array', items: { allOf: [{ $ref: '#/components/schemas/lid' }] } },
  },
};

const own = (box: object, query: object = { schema: { type: 'boolean', default: false } }): Json => ({
  paths: {
    '/api/boxes/{id}': {
      post: {
        parameters: [
          { in: 'path', name: 'id', required: true, schema: { type: 'string', format: 'uuid' } },
          { in: 'query', name: 'open', ...query },
        ],
        requestBody: { required: true, content: { 'application/json': { schema: box } } },
        responses: {
          200: { headers: { Count: {} }, content: { 'application/json': { schema: box } } },
          404: { $ref: '#/components/responses/missing' },
        },
      },
    },
    '/api/lids': { get: { responses: { 200: {} } } },
  },
  components: { schemas: { lid: LID }, responses: { missing: {} } },
});

const differences = (document: Json): readonly string[] =>
  compareOperations(readContract(CONTRACT), readOwnDocument(document, '/api')).map(
    ({ part, place, aspect, contract, own: here }) => `${part} ${place}: ${aspect} ${contract} → ${here}`,
  );

describe('comparing two documents', () => {
  it('finds no difference between equivalent notations', () => {
    expect(differences(own(BOX))).toEqual([]);
  });

  it.each<[string, Json, readonly string[]]>([
    [
      'a missing enum value',
      own({ ...BOX, properties: { ...BOX.properties, form: { type: 'string', enum: ['round'] } } }),
      ['body form: values round, square → round', 'answer form: values round, square → round'],
    ],
    [
      'a type and a limit, which count only for requests',
      own({ ...BOX, properties: { ...BOX.properties, depth: { type: 'number' } } }),
      ['body depth: type integer → number', 'body depth: minimum 1 → ', 'answer depth: type integer → number'],
    ],
    [
      'a member that is optional only here',
      own({ ...BOX, required: [] }),
      ['body form: required true → false', 'answer form: required true → false'],
    ],
    [
      'a member that is required only here, which is compatible in responses',
      own({ ...BOX, required: ['form', 'depth'] }),
      ['body depth: required false → true'],
    ],
    [
      'a missing member with its parts, and an additional one',
      own({ ...BOX, properties: { form: BOX.properties.form, depth: BOX.properties.depth, lid: LID } }),
      [
        'body lids: only in the contract array → ',
        'body lid: only here  → object',
        'answer lids: only in the contract array → ',
        'answer lid: only here  → object',
      ],
    ],
    [
      'another default of a parameter',
      own(BOX, { schema: { type: 'boolean' } }),
      ['parameter query open: default false → '],
    ],
  ])('finds %s', (_, document, expected) => {
    expect(differences(document)).toEqual(expected);
  });

  it('reports operations and statuses that only one document contains', () => {
    const { paths, components } = own(BOX) as { paths: { [path: string]: Json }; components: Json };
    const { '/api/lids': lids, ...rest } = paths;
    expect(differences({ paths: { ...rest, '/api/caps': lids ?? {} }, components })).toEqual([
      'operation : only in the contract is not served → ',
      'operation : only here  → served',
    ]);
  });
});
