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

export type Json = { readonly [name: string]: unknown };

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
  const required = (schema['required'] as readonly string[] | undefined) ?? [];
  for (const [name, member] of Object.entries((schema['properties'] ?? {}) as Json))
    walk(document, member as Json, path === '' ? name : `${path}.${name}`, required.includes(name), depth + 1, shapes);
  if (schema['items']) walk(document, schema['items'] as Json, `${path}[]`, true, depth + 1, shapes);
  const others = schema['additionalProperties'];
  if (typeof others === 'object' && others !== null)
    walk(document, others as Json, `${path}{}`, true, depth + 1, shapes);
}

/** The resolved schema: references followed, `allOf` merged. */
function resolve(document: Json, schema: Json): Json {
  const { $ref: reference, allOf, oneOf, ...rest } = schema;
  // The contract has no alternatives, so the first one is compared.
  if (Array.isArray(oneOf)) return resolve(document, (oneOf as readonly Json[])[0] ?? {});
  if (typeof reference === 'string') return { ...resolve(document, follow(document, reference)), ...without$ref(rest) };
  if (!Array.isArray(allOf)) return schema;
  return (allOf as readonly Json[]).map((part) => resolve(document, part)).reduce<Json>(merged, rest);
}

/** Beside a reference, only the member's own keywords count. */
const without$ref = ({ default: fallback }: Json): Json => (fallback === undefined ? {} : { default: fallback });

const merged = (one: Json, other: Json): Json => ({
  ...one,
  ...other,
  properties: { ...((one['properties'] ?? {}) as Json), ...((other['properties'] ?? {}) as Json) },
  required: [
    ...((one['required'] as string[] | undefined) ?? []),
    ...((other['required'] as string[] | undefined) ?? []),
  ],
});

export const follow = (document: Json, reference: string): Json =>
  reference
    .slice(2)
    .split('/')
    .reduce<Json>((place, name) => (place[name] ?? {}) as Json, document);

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
  for (const [path, methods] of Object.entries(document['paths'] as Json))
    for (const [method, operation] of Object.entries(methods as Json))
      operations.set(`${method.toUpperCase()} ${path}`, readContractOperation(document, operation as Json));
  return operations;
}

function readContractOperation(document: Json, operation: Json): ApiOperation {
  const parameters = (operation['parameters'] ?? []) as readonly Json[];
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
    ...(body && { body: readShapes(document, body['schema'] as Json, body['required'] === true) }),
    ...(form.length > 0 && { body: readShapes(document, formSchema(form)) }),
    answers: new Map(
      Object.entries(operation['responses'] as Json).map(([status, answer]) => [
        status,
        readContractAnswer(document, answer as Json),
      ]),
    ),
  };
}

const formSchema = (fields: readonly Json[]): Json => ({
  type: 'object',
  properties: Object.fromEntries(fields.map(({ required: _, ...field }) => [String(field['name']), field])),
  required: fields.filter(({ required }) => required === true).map(({ name }) => String(name)),
});

const readContractAnswer = (document: Json, { headers = {}, schema }: Json): ApiAnswer => ({
  headers: Object.keys(headers as Json),
  fields: schema ? readShapes(document, schema as Json) : new Map(),
});

/** Reads an OpenAPI 3.0 document, limited to paths below `prefix`. */
export function readOwnDocument(document: Json, prefix: string): ApiOperations {
  const operations = new Map<string, ApiOperation>();
  for (const [path, methods] of Object.entries(document['paths'] as Json))
    for (const [method, operation] of Object.entries(methods as Json))
      if (path.startsWith(prefix))
        operations.set(
          `${method.toUpperCase()} ${path.slice(prefix.length)}`,
          readOperation(document, operation as Json),
        );
  return operations;
}

function readOperation(document: Json, operation: Json): ApiOperation {
  const shapes = new Map<string, Shape>();
  for (const { in: place, name, required, schema } of (operation['parameters'] ?? []) as readonly Json[])
    for (const [path, shape] of readShapes(document, schema as Json, required === true))
      shapes.set(`${String(place)} ${String(name)}${path}`, shape);
  const body = operation['requestBody'] as Json | undefined;
  const content = body && contentOf(body);
  return {
    parameters: shapes,
    ...(body && content && { body: readShapes(document, content, body['required'] === true) }),
    answers: new Map(
      Object.entries(operation['responses'] as Json).map(([status, answer]) => [
        status,
        readAnswer(document, answer as Json),
      ]),
    ),
  };
}

/** Every operation documents one media type. */
const contentOf = ({ content = {} }: Json): Json | undefined =>
  (Object.values(content as Json)[0] as Json | undefined)?.['schema'] as Json | undefined;

function readAnswer(document: Json, given: Json): ApiAnswer {
  const { $ref: reference } = given;
  const answer = typeof reference === 'string' ? follow(document, reference) : given;
  const schema = contentOf(answer);
  return {
    headers: Object.keys((answer['headers'] ?? {}) as Json),
    fields: schema ? readShapes(document, schema) : new Map(),
  };
}
