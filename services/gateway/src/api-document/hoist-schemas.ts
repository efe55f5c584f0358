import { describeMember, type JsonSchema } from '@muster/assisted-api';

type Json = unknown;

/**
 * The tree with every schema that has a title replaced by a reference, and those schemas by their titles.
 * Throws when two different ones have the same title.
 */
export function hoistSchemas(tree: Json): {
  readonly tree: Json;
  readonly schemas: { readonly [title: string]: JsonSchema };
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
    schemas: Object.fromEntries(sorted.map(([title, text]) => [title, JSON.parse(text) as JsonSchema])),
  };
}

/** The schema with descriptions of its members, which the table of descriptions names by its title. */
function described(value: object): object {
  if (!isNamed(value) || !('properties' in value)) return value;
  const properties = Object.entries(value.properties as { readonly [name: string]: JsonSchema });
  return {
    ...value,
    properties: Object.fromEntries(
      properties.map(([name, member]) => [name, describeMember(value.title, name, member)]),
    ),
  };
}

/** `title` is also the name of a member of some objects; of a schema it is a text beside a type. */
const isNamed = (value: object): value is { readonly title: string } =>
  'title' in value && typeof value.title === 'string' && 'type' in value && typeof value.type === 'string';
