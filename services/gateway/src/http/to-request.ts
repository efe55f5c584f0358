import { plainToInstance } from 'class-transformer';
import { LIST_MAX_ITEMS, requestFields } from '@muster/assisted-api';
import { SchemaViolation } from './schema-violation';

/** Deepest nesting of a request body. */
export const JSON_MAX_DEPTH = 32;
/** Most members of all objects and lists of a body together. An infra-env with 1,000 static hosts of 10 interfaces has 33,000. */
export const JSON_MAX_MEMBERS = 50_000;
/** Most objects of request classes in a body. class-validator takes about 10 µs for each. */
export const REQUEST_OBJECTS_MAX = 12_000;

type RequestClass = new () => object;
type Members = { readonly [name: string]: unknown };

/**
 * The body as instances of its request classes, without members that are null, which assisted-service v2 treats as absent.
 * The validation decorators run afterwards. One pass that ends at the first unknown field and is bounded by the limits above;
 * class-transformer takes quadratic time for objects of many members.
 *
 * @throws SchemaViolation for a body that is not an object, an unknown field, and a body that is too deep or too large.
 */
export function toRequest(type: RequestClass, body: unknown): object {
  if (body === undefined) throw new SchemaViolation('body is required');
  if (!isMembers(body)) throw new SchemaViolation('body must be a JSON object');
  return new RequestBuilder().object(type, body, '', 0);
}

/** The declared parameters of a query. Unknown parameters are ignored, as in assisted-service v2. */
export function toQuery(type: RequestClass, query: unknown): object {
  const fields = requestFields(type);
  return plainToInstance(
    type,
    Object.fromEntries(Object.entries(query as Members).filter(([name]) => fields.has(name))),
  );
}

class RequestBuilder {
  private members = 0;
  private objects = 0;

  object(type: RequestClass | undefined, value: Members, path: string, depth: number): object {
    this.enter(depth);
    const fields = type && requestFields(type);
    if (type) this.countObject();
    const kept = (type ? new type() : {}) as { [name: string]: unknown };
    for (const name of Object.keys(value)) {
      const field = fields?.get(name);
      if (fields && !field) throw unknownField(path === '' ? name : `${path}.${name}`);
      const member = value[name];
      this.count();
      if (member !== null)
        kept[name] = this.value(field?.nested, member, path === '' ? name : `${path}.${name}`, depth + 1);
    }
    return kept;
  }

  private value(type: RequestClass | undefined, value: unknown, path: string, depth: number): unknown {
    if (Array.isArray(value)) return this.list(type, value, path, depth);
    return isMembers(value) ? this.object(type, value, path, depth) : value;
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

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const unknownField = (path: string): SchemaViolation =>
  new SchemaViolation(`${path} in body is not a field of this request; check its spelling or leave it out`);
