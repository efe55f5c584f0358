import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { parseBody, type ParsedRequest, parseQuery, uuidComplaint } from '@muster/assisted-api';
import type { FastifyRequest } from 'fastify';
import { SchemaViolation } from './schema-violation';

type RequestClass = new () => object;

const requestOf = (context: ExecutionContext): FastifyRequest => context.switchToHttp().getRequest<FastifyRequest>();

function fitting(parsed: ParsedRequest<object>): object {
  if (parsed.kind === 'violates') throw new SchemaViolation(parsed.message);
  return parsed.value;
}

/** The JSON body as an instance of the class; refused with the field's name when it does not fit. */
export const JsonBody = createParamDecorator((type: RequestClass, context: ExecutionContext) =>
  fitting(parseBody(type, requestOf(context).body)),
);

/** A body that may be left out. */
export const OptionalJsonBody = createParamDecorator((type: RequestClass, context: ExecutionContext) =>
  fitting(parseBody(type, requestOf(context).body ?? {})),
);

/** A body that is one JSON string. */
export const TextBody = createParamDecorator((maxCharacters: number, context: ExecutionContext) => {
  const { body } = requestOf(context);
  if (typeof body !== 'string') throw new SchemaViolation('body must be a JSON string');
  if (body.length > maxCharacters) throw new SchemaViolation(`body must have at most ${maxCharacters} characters`);
  return body;
});

export const QueryOf = createParamDecorator((type: RequestClass, context: ExecutionContext) =>
  fitting(parseQuery(type, requestOf(context).query)),
);

/** An id in the path, in lower case. */
export const Id = createParamDecorator((name: string, context: ExecutionContext) => {
  const value = (requestOf(context).params as { readonly [name: string]: string })[name];
  const complaint = uuidComplaint(value);
  if (complaint || value === undefined) throw new SchemaViolation(`${name} in path ${complaint}`);
  return value.toLowerCase();
});
