import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  LIST_MAX_ITEMS,
  mayBeAbsent,
  pullSecretError,
  refusesOtherParameters,
  requestFields,
  satisfiesRules,
  UUID_PATTERN,
} from '@muster/assisted-api';
import { JSON_MAX_DEPTH, JSON_MAX_MEMBERS } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { isObject, type Members, objectAt } from '@muster/schema';
import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { validateSync, type ValidationError } from 'class-validator';

/** The request does not match its schema. Answered as `{code, message}` before a handler runs. */
export class SchemaViolation extends Error {
  constructor(
    message: string,
    readonly status: 400 | 408 | 413 | 415 = 400,
  ) {
    super(message);
    this.name = 'SchemaViolation';
  }
}

/** Maximum length of a value that a message repeats, in characters. */
const VALUE_MAX_CHARACTERS = 64;
/** Paths of fields whose values never appear in messages. */
const SECRET = /secret|password|token|credential|key|content|config|bundle|argument|headers|proxy|endpoint/i;

/** The place of an empty text in a list of allowed values. */
const EMPTY_ENTRY = /(?<=[:,] )(?=, |$)/g;

/** Returns the first violation as a sentence without full stop: `<field> in <place> must …`. */
export function violationText(errors: readonly ValidationError[], place: string): string {
  const [error] = errors;
  return error ? describe(error, place, '') : `${place} is not valid`;
}

function describe(error: ValidationError, place: string, parent: string): string {
  const path = pathOf(parent, error.property);
  const [constraint] = Object.entries(error.constraints ?? {});
  const [child] = error.children ?? [];
  if (!constraint) return child ? describe(child, place, path) : `${path} in ${place} is not valid`;
  if (error.value === undefined) return `${path} in ${place} is required`;
  const [name, message] = constraint;
  const text = message.replace(`${error.property} `, '').replace(EMPTY_ENTRY, '""');
  const each = /^each value in (?:nested property )?(.*)$/.exec(text);
  if (each) return `each entry of ${path} in ${place} ${each[1]}`;
  return `${path} in ${place} ${text}${found(name, path, error)}`;
}

/** Returns `, not "x"` when the value is useful in a message and not secret. */
function found(constraint: string, path: string, { value }: ValidationError): string {
  if (SECRET.test(path) || constraint === 'maxLength' || constraint === 'minLength') return '';
  if (Array.isArray(value)) return constraint === 'arrayMaxSize' ? `, not ${value.length}` : ', not a list';
  if (typeof value === 'object' && value !== null) return ', not an object';
  const text = JSON.stringify(value);
  return text.length <= VALUE_MAX_CHARACTERS ? `, not ${text}` : '';
}

function pathOf(parent: string, property: string): string {
  if (/^\d+$/.test(property)) return `${parent}[${property}]`;
  return parent === '' ? property : `${parent}.${property}`;
}

/** Maximum number of objects of request classes in a body. class-validator takes about 10 µs for each. */
export const REQUEST_OBJECTS_MAX = 12_000;

type RequestClass = new () => object;

/**
 * Converts a body to instances of its request classes. Members that are null are omitted, because assisted-service v2
 * treats them as absent. Halves of characters become U+FFFD, as in assisted-service v2: a client that shortens a text may send them.
 * The validation decorators run afterwards. One pass, which ends at the first unknown field and has the limits above.
 * @throws SchemaViolation for a body that is not an object, has an unknown field, is nested too deeply or is too large
 */
export function toRequest(type: RequestClass, body: unknown): object {
  if (body === undefined) throw new SchemaViolation('body is required');
  if (!isObject(body)) throw new SchemaViolation('body must be a JSON object');
  return new RequestBuilder().object(type, body, '', 0);
}

/**
 * Returns the declared parameters of a query. Others are ignored, as in assisted-service v2, except by queries of the Muster API.
 * @throws SchemaViolation
 */
export function toQuery(type: RequestClass, query: unknown): object {
  const given = objectAt(query);
  const fields = requestFields(type);
  const other = refusesOtherParameters(type) && Object.keys(given).find((name) => !fields.has(name));
  if (typeof other === 'string') throw unknownField(other, 'query');
  const kept = new type();
  for (const [name, { convert }] of fields) {
    const value = given[name];
    if (value !== undefined) Reflect.set(kept, name, convert ? convert(value) : value);
  }
  return kept;
}

class RequestBuilder {
  private members = 0;
  private objects = 0;

  object(type: RequestClass | undefined, value: Members, path: string, depth: number): object {
    this.enter(depth);
    const fields = type && requestFields(type);
    if (type) this.countObject();
    const kept: object = type ? new type() : {};
    for (const name of Object.keys(value)) {
      const field = fields?.get(name);
      if (fields && !field) throw unknownField(path === '' ? name : `${path}.${name}`, 'body');
      const member = value[name];
      this.count();
      if (member !== null)
        Reflect.set(kept, name, this.value(field?.nested, member, path === '' ? name : `${path}.${name}`, depth + 1));
    }
    return kept;
  }

  private value(type: RequestClass | undefined, value: unknown, path: string, depth: number): unknown {
    if (typeof value === 'string') return value.toWellFormed();
    if (Array.isArray(value)) return this.list(type, value, path, depth);
    return isObject(value) ? this.object(type, value, path, depth) : value;
  }

  private list(type: RequestClass | undefined, items: readonly unknown[], path: string, depth: number): unknown[] {
    this.enter(depth);
    if (type && items.length > LIST_MAX_ITEMS)
      throw new SchemaViolation(`${path} in body must contain at most ${LIST_MAX_ITEMS} entries, not ${items.length}`);
    return items.map((item, index) => {
      this.count();
      return this.value(type, item, `${path}[${index}]`, depth + 1);
    });
  }

  private enter(depth: number): void {
    if (depth > JSON_MAX_DEPTH)
      throw new SchemaViolation(`body must not be nested deeper than ${JSON_MAX_DEPTH} levels`);
  }

  private countObject(): void {
    this.objects += 1;
    if (this.objects > REQUEST_OBJECTS_MAX)
      throw new SchemaViolation(`body must not have more than ${REQUEST_OBJECTS_MAX} objects`);
  }

  private count(): void {
    this.members += 1;
    if (this.members > JSON_MAX_MEMBERS)
      throw new SchemaViolation(`body must not have more than ${JSON_MAX_MEMBERS} members`);
  }
}

/** Paths of fields have at most 60 characters. */
const UNKNOWN_FIELD_MAX_CHARACTERS = 200;

const unknownField = (path: string, place: 'body' | 'query'): SchemaViolation =>
  new SchemaViolation(
    `${path.slice(0, UNKNOWN_FIELD_MAX_CHARACTERS)} in ${place} is not a field of this request; check its spelling or leave it out`,
  );

/**
 * Turns bodies and queries into instances of their request classes and validates them with the class-validator decorators.
 * Nest's `ValidationPipe` is not used, because a request can keep it busy for seconds. See docs/adr/0026.
 *
 * @throws SchemaViolation that names the field, its value and what is allowed.
 */
@Injectable()
export class RequestPipe implements PipeTransform {
  // Nest runs the pipe for every parameter, so the others do not wait.
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    return (type === 'body' || type === 'query') && isRequestClass(metatype)
      ? this.validated(value, type, metatype)
      : value;
  }

  private async validated(value: unknown, type: 'body' | 'query', metatype: RequestClass): Promise<object> {
    const request = type === 'query' ? toQuery(metatype, value) : toRequest(metatype, bodyOf(metatype, value));
    for (const [part, offset] of partsOf(metatype, request)) {
      const [error] = satisfiesRules(part) ? [] : validateSync(part, VALIDATION);
      if (error) throw new SchemaViolation(violationText([withOffset(error, offset)], type));
      if (part !== request) await nextTurn();
    }
    return request;
  }
}

const VALIDATION = { stopAtFirstError: true, forbidUnknownValues: false };
/** Number of entries that are validated in one turn of the event loop. Each may have hundreds of objects. */
const SLICE_ITEMS = 10;

/**
 * Yields the request itself, or copies of it with a part of its long lists of objects each, and the number of entries
 * before that part.
 */
function* partsOf(type: RequestClass, request: object): Generator<readonly [object, number]> {
  const fields = requestFields(type);
  const long = new Map<string, readonly unknown[]>();
  for (const name of Object.keys(request)) {
    const value: unknown = Reflect.get(request, name);
    if (Array.isArray(value) && value.length > SLICE_ITEMS && fields.get(name)?.nested) long.set(name, value);
  }
  if (long.size === 0) return yield [request, 0];
  const longest = Math.max(...[...long.values()].map(({ length }) => length));
  for (let offset = 0; offset < longest; offset += SLICE_ITEMS) {
    const slices = [...long].map(([name, items]) => [name, items.slice(offset, offset + SLICE_ITEMS)]);
    yield [Object.assign(new type(), request, Object.fromEntries(slices)), offset];
  }
}

/** Returns the error with the index of the entry in the whole list. */
function withOffset(error: ValidationError, offset: number): ValidationError {
  if (offset > 0)
    for (const child of error.children ?? [])
      if (/^\d+$/.test(child.property)) child.property = String(Number(child.property) + offset);
  return error;
}

const bodyOf = (type: RequestClass, body: unknown): unknown => (body === undefined && mayBeAbsent(type) ? {} : body);

/** A class whose fields have class-validator decorators. */
export const isRequestClass = (type: unknown): type is RequestClass => isClass(type) && requestFields(type).size > 0;

const isClass = (type: unknown): type is RequestClass =>
  typeof type === 'function' && isObject(Reflect.get(type, 'prototype'));

/**
 * Returns a UUID of the path in lower case.
 * @throws SchemaViolation
 */
export function pathId(value: string, name: string): string {
  if (UUID_PATTERN.test(value)) return value.toLowerCase();
  throw new SchemaViolation(`${name} in path must be a UUID such as 6ba7b810-9dad-11d1-80b4-00c04fd430c8`);
}

/** A UUID of the path, in lower case. */
@Injectable()
export class IdPipe implements PipeTransform<string, string> {
  transform(value: string, { data = 'id' }: ArgumentMetadata): string {
    return pathId(value, data);
  }
}

/** Validates a body that is one JSON string. */
export class TextPipe implements PipeTransform<unknown, string> {
  constructor(readonly maxCharacters: number) {}

  transform(value: unknown): string {
    if (typeof value !== 'string') throw new SchemaViolation('body must be a JSON string');
    if (value.length > this.maxCharacters)
      throw new SchemaViolation(`body must have at most ${this.maxCharacters} characters, not ${value.length}`);
    return value.toWellFormed();
  }
}

/** @throws RefusalError `invalid-input` when the pull secret is not valid. The reason never contains a part of it. */
export function checkPullSecret(pullSecret: string): void {
  const reason = pullSecretError(pullSecret);
  if (reason) throw new RefusalError({ code: 'invalid-input', reason, subject: 'pull_secret' });
}
