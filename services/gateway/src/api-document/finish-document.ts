import { describeMember, descriptionOf, type JsonSchema, PROBLEM } from '@muster/assisted-api';
import { isObject, memberAt, type Members, objectAt } from '@muster/schema';
import type { OpenAPIObject } from '@nestjs/swagger';
import { isOfMusterApi, MUSTER_API } from '../http/routes';
import { PROBLEM_TYPE } from '../http/error.filter';
import { type AnswerNote, ERROR_ROWS, type ErrorRow, errorsOf, isAnswerNote, NOTE } from './answers.decorator';

type Json = unknown;

/**
 * Returns the tree with references in place of schemas that have a title, and those schemas by their titles.
 * @throws Error when two different schemas have the same title.
 */
export function hoistSchemas(tree: Json): {
  readonly tree: Json;
  readonly schemas: Members;
} {
  const found = new Map<string, string>();
  const walk = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.fromEntries(Object.entries(described(value)).map(([name, member]) => [name, walk(member)]));
    if (!isNamed(value)) return members;
    const { title, ...schema } = members;
    const text = JSON.stringify(schema);
    const known = found.get(String(title));
    if (known !== undefined && known !== text) throw new Error(`Two schemas are named ${String(title)}; rename one.`);
    found.set(String(title), text);
    return { $ref: `#/components/schemas/${String(title)}` };
  };
  const hoisted = walk(tree);
  const sorted = [...found].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    tree: hoisted,
    schemas: Object.fromEntries(sorted.map(([title, text]): [string, unknown] => [title, JSON.parse(text)])),
  };
}

/**
 * Adds the descriptions of the members from the table of field descriptions, which is keyed by the title of the schema.
 */
function described(value: object): object {
  if (!isNamed(value) || !('properties' in value)) return value;
  const properties = Object.entries(objectAt(value, 'properties'));
  return {
    ...value,
    properties: Object.fromEntries(
      properties.map(([name, member]) => [name, describeMember(value.title, name, objectAt(member))]),
    ),
  };
}

/** Some objects have a member called `title`. The title of a schema is a string beside `type`. */
const isNamed = (value: object): value is { readonly title: string } =>
  'title' in value && typeof value.title === 'string' && 'type' in value && typeof value.type === 'string';

type OpenOperation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Response = object;

const NO_CONTENT = '204';
const METHODS: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];

/** Converts the notes of the routes to OpenAPI: statuses, bodies, headers, tags, named schemas. */
export function finishDocument(scanned: OpenAPIObject): OpenAPIObject {
  const paths = Object.entries(scanned.paths).sort(([one], [other]) => (one < other ? -1 : 1));
  const { tree, schemas } = hoistSchemas({
    paths: Object.fromEntries(paths.map(([path, item]) => [path, finishPath(path, item)])),
    responses: Object.fromEntries([
      ...ERROR_ROWS.map((row) => [row.name, answer(row.means, row.schema, 'application/json', row.headers ?? {})]),
      ...ERROR_ROWS.map((row) => [problemName(row), answer(row.means, PROBLEM, PROBLEM_TYPE, row.headers ?? {})]),
    ]),
  });
  const { components, ...rest } = scanned;
  const finished: unknown = {
    ...rest,
    paths: memberAt(tree, 'paths'),
    components: { ...components, responses: memberAt(tree, 'responses'), schemas },
  };
  if (!isDocument(finished)) throw new Error('The document has no paths.');
  return finished;
}

/** Name of the response in the Muster API, whose errors are problems. */
const problemName = ({ name }: ErrorRow): string => `${name}-problem`;

const isDocument = (value: unknown): value is OpenAPIObject =>
  isObject(value) && isObject(value['info']) && isObject(value['paths']);

const finishPath = (path: string, item: OpenAPIObject['paths'][string]): object =>
  Object.fromEntries(
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [[method, finishOperation(path, method, operation)]] : [];
    }),
  );

const IDEMPOTENCY_KEY = 'Idempotency-Key';
const KEY_PARAMETER = {
  in: 'header' as const,
  name: IDEMPOTENCY_KEY,
  required: false,
  description: descriptionOf('header', IDEMPOTENCY_KEY),
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
};

function finishOperation(path: string, method: Method, operation: OpenOperation): object {
  const { responses, operationId, summary, parameters, requestBody, security } = operation;
  const note = memberAt(operation, NOTE);
  const given = isAnswerNote(note) ? note : undefined;
  const isOpenToAll = !security || security.length === 0;
  const status = Object.keys(responses)[0] ?? '200';
  const success: { [status: string]: Response } = given ? successesOf(given, status) : {};
  const errors = given
    ? errorsOf({
        method,
        isOpenToAll,
        hasParameters: (parameters ?? []).length > 0,
        refersToResource: path.includes('{'),
        hasBody: requestBody !== undefined,
        note: given,
      })
    : [];
  return {
    tags: [tagOf(path)],
    operationId,
    summary,
    security,
    parameters: method === 'get' || isOpenToAll ? parameters : [...(parameters ?? []), KEY_PARAMETER],
    requestBody,
    responses: {
      ...success,
      ...Object.fromEntries(
        errors.map((row) => {
          const name = isOfMusterApi(path) ? problemName(row) : row.name;
          return [row.status, { $ref: `#/components/responses/${name}` }];
        }),
      ),
    },
  };
}

function successesOf(note: AnswerNote, status: string): { [status: string]: Response } {
  const others = Object.entries(note.others).map(([other, means]) => [
    other,
    answer(means, other === NO_CONTENT ? undefined : note.schema, note.mediaType, {}),
  ]);
  return { [status]: answer('Done.', note.schema, note.mediaType, note.headers), ...Object.fromEntries(others) };
}

const answer = (
  description: string,
  schema: JsonSchema | undefined,
  mediaType: string,
  headers: AnswerNote['headers'],
): Response => ({
  description,
  ...(Object.keys(headers).length > 0 && {
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, { description: says, ...shape }]) => [
        name,
        { ...(says !== undefined && { description: says }), schema: shape },
      ]),
    ),
  }),
  ...(schema && { content: { [mediaType]: { schema } } }),
});

/** Tags by path. The last matching row applies. */
const TAGS: readonly (readonly [RegExp, string])[] = [
  [/./, 'catalogue'],
  [/\/v2\/clusters\b/, 'clusters'],
  [/\/manifests\b/, 'manifests'],
  [/\/infra-envs?\b/, 'infra-envs'],
  [/\/infra-envs?\/[^/]+\/hosts\b/, 'hosts'],
  [/\/(?:instructions|progress|logs-progress|ingress-cert|complete-installation)$/, 'agents'],
  [/\/v2\/events\b/, 'events'],
  [/operators\b/, 'operators'],
  [/^\/(?:health|ready)$/, 'health'],
  [new RegExp(`^/${MUSTER_API}/`), 'muster'],
];

const tagOf = (path: string): string => TAGS.findLast(([pattern]) => pattern.test(path))?.[1] ?? 'catalogue';
