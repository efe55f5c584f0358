import type { JsonSchema } from '../schema/json-schema';
import { FIELD_DESCRIPTIONS } from './descriptions.table';

/** Returns the description of a member: specific to the object, or common to all objects. Undefined without a description. */
export const descriptionOf = (object: string, member: string): string | undefined =>
  FIELD_DESCRIPTIONS.get(`${object}.${member}`) ?? FIELD_DESCRIPTIONS.get(member);

/** Returns the schema with the description of the member. */
export function describeMember(object: string, member: string, schema: JsonSchema): JsonSchema {
  const description = descriptionOf(object, member);
  if (description === undefined) return schema;
  // A schema with a title becomes a reference, and a reference has no sibling keywords.
  return schema.title === undefined ? { ...schema, description } : { allOf: [schema], description };
}
