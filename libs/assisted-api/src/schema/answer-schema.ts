import { describeMember } from '../field-descriptions/describe-member';
import { type JsonSchema, schema } from './json-schema';

/** A schema, and the type of what it describes: the one is never written down without the other. */
export interface AnswerSchema<Value> {
  readonly json: JsonSchema;
  /** Only a type; there is no such member. */
  readonly shows?: Value;
}

/** A member that may be left out. */
export interface Optional<Value> {
  readonly maybe: AnswerSchema<Value>;
}

type Member = AnswerSchema<unknown> | Optional<unknown>;
export interface Members {
  readonly [name: string]: Member;
}

type ShownMembers<M extends Members> = {
  readonly [Name in keyof M as M[Name] extends Optional<unknown> ? never : Name]: M[Name] extends AnswerSchema<infer V>
    ? V
    : never;
} & {
  readonly [Name in keyof M as M[Name] extends Optional<unknown> ? Name : never]?: M[Name] extends Optional<infer V>
    ? V
    : never;
};
type Flat<T> = { readonly [Name in keyof T]: T[Name] };

/** An object with named members; its members can be taken over into another one. */
export interface AnswerRecord<M extends Members> extends AnswerSchema<Flat<ShownMembers<M>>> {
  readonly members: M;
}

/** What a schema describes. */
export type Static<S> = S extends AnswerSchema<infer Value> ? Value : never;

interface Limits {
  readonly minimum?: number;
  readonly maximum?: number;
}

export const text = (): AnswerSchema<string> => ({ json: { type: 'string' } });
export const uuid = (): AnswerSchema<string> => ({ json: { type: 'string', format: 'uuid' } });
/** RFC 3339. */
export const time = (): AnswerSchema<string> => ({ json: { type: 'string', format: 'date-time' } });
export const flag = (): AnswerSchema<boolean> => ({ json: { type: 'boolean' } });
export const whole = (limits: Limits = {}): AnswerSchema<number> => ({ json: { type: 'integer', ...limits } });
export const decimal = (limits: Limits = {}): AnswerSchema<number> => ({ json: { type: 'number', ...limits } });
/** One of a closed list of words; the type knows them. */
export const choice = <const Word extends string>(words: readonly Word[]): AnswerSchema<Word> => ({
  json: { type: 'string', enum: words },
});
/** One of a closed list of words, in types no more than a text. */
export const word = (words: readonly string[]): AnswerSchema<string> => ({ json: { type: 'string', enum: words } });
export const list = <Value>({ json }: AnswerSchema<Value>): AnswerSchema<readonly Value[]> => ({
  json: { type: 'array', items: json },
});
export const orNull = <Value>({ json }: AnswerSchema<Value>): AnswerSchema<Value | null> => ({
  // Null is no part of what has a name, so it is written out.
  json: schema({ ...json, title: undefined, nullable: true }),
});
export const maybe = <Value>(member: AnswerSchema<Value>): Optional<Value> => ({ maybe: member });
/** An object whose members' names are data. */
export const dictionary = <Value>({ json }: AnswerSchema<Value>): AnswerSchema<{ readonly [name: string]: Value }> => ({
  json: { type: 'object', additionalProperties: json },
});
/** An object of whatever somebody else put there. */
export const anything = (): AnswerSchema<{ readonly [name: string]: unknown }> => ({
  json: { type: 'object', additionalProperties: true },
});
/** The bytes of a file. */
export const file = (): AnswerSchema<never> => ({ json: { type: 'string', format: 'binary' } });

const isOptional = (member: Member): member is Optional<unknown> => 'maybe' in member;

/** An object; `name` is its name in the document. */
export function record<M extends Members>(name: string, members: M): AnswerRecord<M> {
  const entries = Object.entries<Member>(members);
  const required = entries.filter(([, member]) => !isOptional(member)).map(([member]) => member);
  return {
    members,
    json: schema({
      title: name,
      type: 'object',
      properties: Object.fromEntries(
        entries.map(([member, shape]) => [
          member,
          describeMember(name, member, isOptional(shape) ? shape.maybe.json : shape.json),
        ]),
      ),
      required: required.length > 0 ? required : undefined,
    }),
  };
}
