import type { OpenAPIObject } from '@nestjs/swagger';

interface Schema {
  readonly $ref?: string;
  readonly format?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema?: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** A field of a request whose value is an id or a list of ids. */
export interface IdField {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  /** `path`, `query`, `header`, or the media type of the body. */
  readonly place: string;
  /** Members from the outermost one to the id; `[]` is an element of a list, `{}` a value of a map. */
  readonly steps: readonly string[];
}

export const nameOf = ({ method, path, place, steps }: IdField): string =>
  `${method} ${path} ${place} ${steps.join('.')}`;

/** The name of the member that holds the id or the list of ids. */
export const memberOf = ({ steps }: IdField): string => steps.filter((step) => step !== '[]').at(-1) ?? '';

const METHODS = ['get', 'put', 'post', 'patch', 'delete', 'head', 'options'];
const ID_NAME = /(^|[_-])ids?$/i;

/** Every field of the API document with the name or the format of an id, in paths, queries, headers and bodies at any depth. */
export function idFieldsOf(document: OpenAPIObject): readonly IdField[] {
  const { schemas = {} } = document.components ?? {};
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method): readonly IdField[] => {
      const operation = (item as Readonly<Record<string, Operation | undefined>>)[method];
      const field = { method: method.toUpperCase(), path };
      const ofParameters = (operation?.parameters ?? []).flatMap(({ in: place, name, schema = {} }) =>
        membersOf(schema, schemas as Readonly<Record<string, Schema>>, [name]).map((steps) => ({
          ...field,
          place,
          steps,
        })),
      );
      const ofBody = Object.entries(operation?.requestBody?.content ?? {}).flatMap(([place, { schema }]) =>
        membersOf(schema, schemas as Readonly<Record<string, Schema>>, []).map((steps) => ({ ...field, place, steps })),
      );
      return [...ofParameters, ...ofBody];
    }),
  );
}

/** Steps to the ids in a schema. A schema that contains itself is followed once. */
function membersOf(
  schema: Schema,
  schemas: Readonly<Record<string, Schema>>,
  steps: readonly string[],
  within: readonly string[] = [],
): readonly (readonly string[])[] {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    const named = schemas[name];
    return named && !within.includes(name) ? membersOf(named, schemas, steps, [...within, name]) : [];
  }
  const deeper = (inner: Schema, step?: string): readonly (readonly string[])[] =>
    membersOf(inner, schemas, step === undefined ? steps : [...steps, step], within);
  const { items, properties = {}, additionalProperties: values, allOf = [], anyOf = [], oneOf = [] } = schema;
  const found = [
    ...[...allOf, ...anyOf, ...oneOf].flatMap((inner) => deeper(inner)),
    ...(items ? deeper(items, '[]') : []),
    ...(typeof values === 'object' ? deeper(values, '{}') : []),
    ...Object.entries(properties).flatMap(([name, inner]) => deeper(inner, name)),
  ];
  if (found.length > 0) return unique(found);
  const name = steps.filter((step) => step !== '[]').at(-1) ?? '';
  return schema.format === 'uuid' || ID_NAME.test(name) ? [steps] : [];
}

const unique = (paths: readonly (readonly string[])[]): readonly (readonly string[])[] => [
  ...new Map(paths.map((steps) => [steps.join('.'), steps])).values(),
];

/** A body whose only value is the id at these steps. */
export const bodyWith = ([step, ...rest]: readonly string[], id: string): unknown => {
  if (step === undefined) return id;
  if (step === '[]') return [bodyWith(rest, id)];
  return { [step === '{}' ? 'key' : step]: bodyWith(rest, id) };
};
