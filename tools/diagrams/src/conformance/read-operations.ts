import { isObject, listAt, memberAt, type Members, objectAt } from '@muster/schema';

/** The compared properties of one value. */
export interface Shape {
  /** `string`, `integer`, …; with the format when it restricts the values: `string uuid`. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly words?: readonly string[];
  readonly fallback?: string;
  /** `minimum 1`, `maxLength 54`, … */
  readonly limits: ReadonlyMap<string, string>;
}

/** Fields by their path: `hosts[].progress.current_stage`; the value itself is ''. */
export type Shapes = ReadonlyMap<string, Shape>;

export interface ApiAnswer {
  readonly headers: readonly string[];
  readonly fields: Shapes;
}

/** An operation of an API document, independent of the format of the document. */
export interface ApiOperation {
  /** By place and name: `query cluster_id`. */
  readonly parameters: Shapes;
  /** Absent when the operation has no body. */
  readonly body?: Shapes;
  readonly answers: ReadonlyMap<string, ApiAnswer>;
}

/** By method and path as in the contract: `GET /v2/clusters/{cluster_id}`. */
export type ApiOperations = ReadonlyMap<string, ApiOperation>;

export type Json = Members;

const NARROWING_FORMATS: readonly string[] = ['uuid', 'date-time', 'binary'];
const LIMITS: readonly string[] = ['minimum', 'maximum', 'minLength', 'maxLength', 'maxItems', 'pattern'];
/** Nesting limit for self-referencing schemas, deeper than any document. */
const DEPTH_MAX = 12;

/** Converts a schema to one table of fields. Follows references within `document`. */
export function readShapes(document: Json, schema: Json, isRequired = true): Shapes {
  const shapes = new Map<string, Shape>();
  walk(document, schema, '', isRequired, 0, shapes);
  return shapes;
}

function walk(
  document: Json,
  given: Json,
  path: string,
  isRequired: boolean,
  depth: number,
  shapes: Map<string, Shape>,
): void {
  if (depth > DEPTH_MAX) return;
  const schema = resolve(document, given);
  shapes.set(path, shapeOf(schema, isRequired));
  const required = listAt(schema, 'required');
  for (const [name, member] of Object.entries(objectAt(schema, 'properties')))
    walk(
      document,
      objectAt(member),
      path === '' ? name : `${path}.${name}`,
      required.includes(name),
      depth + 1,
      shapes,
    );
  if (schema['items']) walk(document, objectAt(schema, 'items'), `${path}[]`, true, depth + 1, shapes);
  const others = schema['additionalProperties'];
  if (isObject(others)) walk(document, others, `${path}{}`, true, depth + 1, shapes);
}

/** The resolved schema: references followed, `allOf` merged. */
function resolve(document: Json, schema: Json): Json {
  const { $ref: reference, allOf, oneOf, ...rest } = schema;
  // The contract has no alternatives, so the first one is compared.
  if (Array.isArray(oneOf)) return resolve(document, objectAt(oneOf[0]));
  if (typeof reference === 'string') return { ...resolve(document, follow(document, reference)), ...without$ref(rest) };
  if (!Array.isArray(allOf)) return schema;
  return allOf.map((part) => resolve(document, objectAt(part))).reduce<Json>(merged, rest);
}

/** Beside a reference, only the member's own keywords count. */
const without$ref = ({ default: fallback }: Json): Json => (fallback === undefined ? {} : { default: fallback });

const merged = (one: Json, other: Json): Json => ({
  ...one,
  ...other,
  properties: { ...objectAt(one, 'properties'), ...objectAt(other, 'properties') },
  required: [...listAt(one, 'required'), ...listAt(other, 'required')],
});

export const follow = (document: Json, reference: string): Json => objectAt(document, ...reference.slice(2).split('/'));

function shapeOf(schema: Json, isRequired: boolean): Shape {
  const { type, format, enum: words, default: fallback } = schema;
  const kind = typeof type === 'string' ? type : schema['properties'] ? 'object' : 'any';
  const isFile = kind === 'file' || format === 'binary';
  const narrowed = typeof format === 'string' && NARROWING_FORMATS.includes(format) ? `${kind} ${format}` : kind;
  return {
    type: isFile ? 'file' : narrowed,
    isRequired,
    ...(Array.isArray(words) && { words: words.map(String) }),
    ...(fallback !== undefined && { fallback: String(fallback) }),
    limits: new Map(LIMITS.filter((name) => schema[name] !== undefined).map((name) => [name, String(schema[name])])),
  };
}

/** A Swagger 2.0 document. */
export function readContract(document: Json): ApiOperations {
  const operations = new Map<string, ApiOperation>();
  for (const [path, methods] of Object.entries(objectAt(document, 'paths')))
    for (const [method, operation] of Object.entries(objectAt(methods)))
      operations.set(`${method.toUpperCase()} ${path}`, readContractOperation(document, objectAt(operation)));
  return operations;
}

function readContractOperation(document: Json, operation: Json): ApiOperation {
  const parameters = listAt(operation, 'parameters').filter(isObject);
  const body = parameters.find((parameter) => parameter['in'] === 'body');
  const form = parameters.filter((parameter) => parameter['in'] === 'formData');
  const shapes = new Map<string, Shape>();
  for (const parameter of parameters) {
    const { in: place, name } = parameter;
    if (place === 'body' || place === 'formData') continue;
    for (const [path, shape] of readShapes(document, { ...parameter, required: [] }, parameter['required'] === true))
      shapes.set(`${String(place)} ${String(name)}${path}`, shape);
  }
  return {
    parameters: shapes,
    ...(body && { body: readShapes(document, objectAt(body, 'schema'), body['required'] === true) }),
    ...(form.length > 0 && { body: readShapes(document, formSchema(form)) }),
    answers: new Map(
      Object.entries(objectAt(operation, 'responses')).map(([status, answer]) => [
        status,
        readContractAnswer(document, objectAt(answer)),
      ]),
    ),
  };
}

const formSchema = (fields: readonly Json[]): Json => ({
  type: 'object',
  properties: Object.fromEntries(fields.map(({ required: _, ...field }) => [String(field['name']), field])),
  required: fields.filter(({ required }) => required === true).map(({ name }) => String(name)),
});

const readContractAnswer = (document: Json, answer: Json): ApiAnswer => ({
  headers: Object.keys(objectAt(answer, 'headers')),
  fields: answer['schema'] ? readShapes(document, objectAt(answer, 'schema')) : new Map(),
});

/** Reads an OpenAPI 3.0 document, limited to paths below `prefix`. */
export function readOwnDocument(document: Json, prefix: string): ApiOperations {
  const operations = new Map<string, ApiOperation>();
  for (const [path, methods] of Object.entries(objectAt(document, 'paths')))
    for (const [method, operation] of Object.entries(objectAt(methods)))
      if (path.startsWith(prefix))
        operations.set(
          `${method.toUpperCase()} ${path.slice(prefix.length)}`,
          readOperation(document, objectAt(operation)),
        );
  return operations;
}

function readOperation(document: Json, operation: Json): ApiOperation {
  const shapes = new Map<string, Shape>();
  for (const { in: place, name, required, schema } of listAt(operation, 'parameters').filter(isObject))
    for (const [path, shape] of readShapes(document, objectAt(schema), required === true))
      shapes.set(`${String(place)} ${String(name)}${path}`, shape);
  const body = objectAt(operation, 'requestBody');
  const content = contentOf(body);
  return {
    parameters: shapes,
    ...(content && { body: readShapes(document, content, body['required'] === true) }),
    answers: new Map(
      Object.entries(objectAt(operation, 'responses')).map(([status, answer]) => [
        status,
        readAnswer(document, objectAt(answer)),
      ]),
    ),
  };
}

/** Every operation documents one media type. */
function contentOf(message: Json): Json | undefined {
  const schema = memberAt(Object.values(objectAt(message, 'content'))[0], 'schema');
  return isObject(schema) ? schema : undefined;
}

function readAnswer(document: Json, given: Json): ApiAnswer {
  const { $ref: reference } = given;
  const answer = typeof reference === 'string' ? follow(document, reference) : given;
  const schema = contentOf(answer);
  return {
    headers: Object.keys(objectAt(answer, 'headers')),
    fields: schema ? readShapes(document, schema) : new Map(),
  };
}
