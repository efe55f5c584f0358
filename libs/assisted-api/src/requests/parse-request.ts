import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';

/** Deepest nesting of a request body. */
export const JSON_MAX_DEPTH = 32;

export type ParsedRequest<Request> =
  { readonly kind: 'fits'; readonly value: Request } | { readonly kind: 'violates'; readonly message: string };

/**
 * The body as an instance of its class, or the first violation in the contract's words: `<field> in body must …`.
 * Unknown fields violate; null means absent everywhere, as in the contract.
 */
export function parseBody<Request extends object>(type: new () => Request, input: unknown): ParsedRequest<Request> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return violation(input === undefined ? 'body is required' : 'body must be a JSON object');
  }
  const plain = withoutNulls(input, 0);
  if (plain === TOO_DEEP) return violation(`body must not be nested deeper than ${JSON_MAX_DEPTH} levels`);
  return parse(type, plain, 'body', true);
}

/** The query as an instance of its class. Unknown parameters are ignored, as in the contract. */
export function parseQuery<Request extends object>(type: new () => Request, input: unknown): ParsedRequest<Request> {
  return parse(type, { ...(input as object) }, 'query', false);
}

function parse<Request extends object>(
  type: new () => Request,
  plain: unknown,
  place: string,
  forbidUnknown: boolean,
): ParsedRequest<Request> {
  const value = plainToInstance(type, plain) as Request;
  const [error] = validateSync(value, {
    whitelist: true,
    forbidNonWhitelisted: forbidUnknown,
    forbidUnknownValues: false,
    stopAtFirstError: true,
  });
  return error ? violation(describe(error, place, '')) : { kind: 'fits', value };
}

const violation = (message: string): { readonly kind: 'violates'; readonly message: string } => ({
  kind: 'violates',
  message,
});

function describe(error: ValidationError, place: string, prefix: string): string {
  const path = /^\d+$/.test(error.property) ? `${prefix.slice(0, -1)}[${error.property}]` : prefix + error.property;
  const [child] = error.children ?? [];
  const { whitelistValidation, ...errors } = error.constraints ?? {};
  const [validator] = Object.values(errors);
  if (validator) return `${path} in ${place} ${validator}`;
  if (whitelistValidation)
    return `${path} in ${place} is not a field of this request; check its spelling or leave it out`;
  return child ? describe(child, place, `${path}.`) : `${path} in ${place} is not valid`;
}

const TOO_DEEP = Symbol('too deep');

function withoutNulls(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > JSON_MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutNulls(item, depth + 1));
    return items.includes(TOO_DEEP) ? TOO_DEEP : items;
  }
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === null) continue;
    const cleaned = withoutNulls(member, depth + 1);
    if (cleaned === TOO_DEEP) return TOO_DEEP;
    kept[key] = cleaned;
  }
  return kept;
}
