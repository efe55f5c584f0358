import type { Shape, Shapes } from './api-operation';

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
