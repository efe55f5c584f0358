import { createParamDecorator, type ExecutionContext, Headers, Param } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiParam, ApiQuery } from '@nestjs/swagger';
import {
  type JsonSchema,
  parseBody,
  type ParsedRequest,
  parseQuery,
  requestFields,
  requestSchema,
  uuidValidator,
  descriptionOf,
} from '@muster/assisted-api';
import type { FastifyRequest } from 'fastify';
import { toOpenApi } from './to-open-api';
import { SchemaViolation } from './schema-violation';

type RequestClass = new () => object;

const requestOf = (context: ExecutionContext): FastifyRequest => context.switchToHttp().getRequest<FastifyRequest>();

function fitting(parsed: ParsedRequest<object>): object {
  if (parsed.kind === 'violates') throw new SchemaViolation(parsed.message);
  return parsed.value;
}

/** The parameter, and what the document says of the handler because of it. */
export const documented =
  (parameter: ParameterDecorator, ...notes: readonly MethodDecorator[]): ParameterDecorator =>
  (target, key, index) => {
    parameter(target, key, index);
    const handler = key === undefined ? undefined : Object.getOwnPropertyDescriptor(target, key);
    if (key !== undefined && handler) for (const note of notes) note(target, key, handler);
  };

const bodyNote = (schema: JsonSchema, required: boolean): MethodDecorator =>
  ApiBody({ schema: toOpenApi(schema), required });

const readBody = createParamDecorator((type: RequestClass, context: ExecutionContext) =>
  fitting(parseBody(type, requestOf(context).body)),
);

/** The JSON body as an instance of the class; refused with the field's name when it does not fit. */
export const JsonBody = (type: RequestClass): ParameterDecorator =>
  documented(readBody(type), bodyNote(requestSchema(type), true));

const readOptionalBody = createParamDecorator((type: RequestClass, context: ExecutionContext) =>
  fitting(parseBody(type, requestOf(context).body ?? {})),
);

/** A body that may be left out. */
export const OptionalJsonBody = (type: RequestClass): ParameterDecorator =>
  documented(readOptionalBody(type), bodyNote(requestSchema(type), false));

const readText = createParamDecorator((maxCharacters: number, context: ExecutionContext) => {
  const { body } = requestOf(context);
  if (typeof body !== 'string') throw new SchemaViolation('body must be a JSON string');
  if (body.length > maxCharacters) throw new SchemaViolation(`body must have at most ${maxCharacters} characters`);
  return body;
});

/** A body that is one JSON string. */
export const TextBody = (maxCharacters: number): ParameterDecorator =>
  documented(readText(maxCharacters), bodyNote({ type: 'string', maxLength: maxCharacters }, true));

const readQuery = createParamDecorator((type: RequestClass, context: ExecutionContext) =>
  fitting(parseQuery(type, requestOf(context).query)),
);

export const QueryOf = (type: RequestClass): ParameterDecorator =>
  documented(
    readQuery(type),
    ...requestFields(type).map(({ name, isRequired, schema }) =>
      ApiQuery({
        name,
        required: isRequired,
        description: descriptionOf(type.name, name),
        schema: toOpenApi(schema()),
        // Comma-separated and repeated are the same here; tools write one of them.
        ...(schema().type === 'array' && { style: 'form', explode: false }),
      }),
    ),
  );

const readId = createParamDecorator((name: string, context: ExecutionContext) => {
  const value = (requestOf(context).params as { readonly [name: string]: string })[name];
  const validator = uuidValidator(value);
  if (validator || value === undefined) throw new SchemaViolation(`${name} in path ${validator}`);
  return value.toLowerCase();
});

/** An id in the path, in lower case. */
export const Id = (name: string): ParameterDecorator =>
  documented(readId(name), pathNote(name, { type: 'string', format: 'uuid' }));

/** A word in the path, as it was given. */
export const PathParam = (name: string): ParameterDecorator =>
  documented(Param(name), pathNote(name, { type: 'string' }));

/** A header that may be left out. */
export const OptionalHeader = (name: string): ParameterDecorator => documented(Headers(name), headerNote(name));

/** The agents' version, which they send with every request; it is looked at where they ask for work. */
export const SendsAgentVersion = (): MethodDecorator => headerNote('discovery_agent_version');

export const headerNote = (name: string, schema: JsonSchema = { type: 'string' }): MethodDecorator =>
  ApiHeader({ name, required: false, description: descriptionOf('header', name), schema: toOpenApi(schema) });

export const pathNote = (name: string, schema: JsonSchema): MethodDecorator =>
  ApiParam({ name, required: true, description: descriptionOf('path', name), schema: toOpenApi(schema) });
