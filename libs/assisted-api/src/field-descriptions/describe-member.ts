import type { JsonSchema } from '../schema/json-schema';
import { WORDS } from './descriptions.table';

/** What a member means: said for this object only, or for every object that has one of that name. Undefined: nothing is said. */
export const descriptionOf = (object: string, member: string): string | undefined =>
  WORDS.get(`${object}.${member}`) ?? WORDS.get(member);

/** The schema with what is said of the member. */
export function describeMember(object: string, member: string, schema: JsonSchema): JsonSchema {
  const description = descriptionOf(object, member);
  if (description === undefined) return schema;
  // What has a name of its own is referred to, and nothing may stand beside a reference.
  return schema.title === undefined ? { ...schema, description } : { allOf: [schema], description };
}
