import {
  describedField,
  descriptionOf,
  fieldSchema,
  mayBeAbsent,
  requestFields,
  requestSchema,
} from '@muster/assisted-api';
import { isObject, listAt, objectAt } from '@muster/schema';
import type { INestApplication } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { ModulesContainer } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ApiBody, ApiQuery, DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { CREDENTIAL_PLACES } from '../auth/caller';
import { documentHeader, documentPathParameter, ID_SCHEMA, toOpenApi } from '../http/headers';
import { IdPipe, isRequestClass, TextPipe } from '../http/request.pipes';
import { finishDocument } from './finish-document';

/** A parameter of a handler, as the Nest decorators `@Body`, `@Query`, `@Param` and `@Headers` record it. */
interface RouteArgument {
  readonly index: number;
  readonly data?: unknown;
  readonly pipes: readonly unknown[];
}

const described = new WeakSet<object>();

/**
 * Registers the parameters of all handlers with `@nestjs/swagger`. The schemas come from the class-validator decorators
 * of the request classes, the descriptions from the table of field descriptions. A second call has no effect.
 */
export function describeRoutes(app: INestApplication): void {
  for (const { controllers } of app.get(ModulesContainer).values())
    for (const { metatype } of controllers.values()) {
      if (typeof metatype !== 'function' || described.has(metatype)) continue;
      described.add(metatype);
      describeController(metatype);
    }
}

const isRouteArgument = (value: unknown): value is RouteArgument =>
  isObject(value) && typeof value['index'] === 'number' && Array.isArray(value['pipes']);

function describeController(controller: object): void {
  const prototype: unknown = Reflect.get(controller, 'prototype');
  if (!isObject(prototype)) return;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const handler = Object.getOwnPropertyDescriptor(prototype, name);
    const types = listAt(Reflect.getMetadata('design:paramtypes', prototype, name));
    const args = objectAt(Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name));
    for (const [key, argument] of Object.entries(args))
      if (handler && isRouteArgument(argument))
        for (const note of notesOf(Number(key.split(':')[0]), argument, types[argument.index]))
          note(prototype, name, handler);
  }
}

function notesOf(kind: number, { data, pipes }: RouteArgument, type: unknown): readonly MethodDecorator[] {
  if (kind === RouteParamtypes.BODY) return [bodyNote(pipes, type)].flat();
  if (kind === RouteParamtypes.QUERY && isRequestClass(type)) return queryNotes(type);
  if (typeof data !== 'string') return [];
  if (kind === RouteParamtypes.PARAM)
    return [documentPathParameter(data, pipes.includes(IdPipe) ? ID_SCHEMA : { type: 'string' })];
  if (kind === RouteParamtypes.HEADERS) return [documentHeader(data)];
  return [];
}

function bodyNote(pipes: readonly unknown[], type: unknown): readonly MethodDecorator[] {
  const text = pipes.find((pipe) => pipe instanceof TextPipe);
  if (text) return [ApiBody({ schema: { type: 'string', maxLength: text.maxCharacters }, required: true })];
  if (!isRequestClass(type)) return [];
  return [ApiBody({ schema: toOpenApi(requestSchema(type)), required: !mayBeAbsent(type) })];
}

const queryNotes = (type: new () => object): readonly MethodDecorator[] =>
  [...requestFields(type).values()].map((field) => {
    const { description, ...schema } = describedField(type, field);
    return ApiQuery({
      name: field.name,
      required: field.isRequired,
      description: description ?? descriptionOf(type.name, field.name),
      schema: toOpenApi(schema),
      // Comma-separated and repeated values have the same meaning. Generators use the form that the document names.
      ...(fieldSchema(field).type === 'array' && { style: 'form', explode: false }),
    });
  });

const ABOUT = `Installs OpenShift and OKD clusters on bare metal. Paths under /api/assisted-install implement the v2 API of
assisted-service; paths under /api/muster are specific to Muster. Responses may get additional fields at any time. Requests
with fields that this document does not describe are refused. A field that is null counts as absent. A response with an
ETag is answered with 304 to a request whose If-None-Match contains it. Errors of paths under /api/muster are problems
(RFC 9457) with a stable code.`;

/** Returns the OpenAPI document of the application. */
export function apiDocumentOf(app: INestApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Muster')
    .setDescription(ABOUT.replace(/\n/g, ' '))
    .setVersion('2')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0');
  for (const [scheme, { place, name, description }] of CREDENTIAL_PLACES)
    builder.addApiKey({ type: 'apiKey', in: place, name, description }, scheme);
  describeRoutes(app);
  return finishDocument(
    SwaggerModule.createDocument(app, builder.build(), {
      operationIdFactory: toOperationId,
      autoTagControllers: false,
    }),
  );
}

/** The name of the handler. Further paths of the same handler get a number. */
function toOperationId(_controller: string, handler: string): string {
  const [, name = '', alias = ''] = /^(\w+?)(?:\[(\d+)\])?$/.exec(handler) ?? [];
  return name + (alias === '' || alias === '0' ? '' : `Alias${alias}`);
}

/** Path of the Swagger UI page. The path of the document follows from it. */
export const DOCUMENT_PAGE = 'docs';

/** Serves the document without authentication. It is built at the first request, so it does not delay the start. */
export function serveDocument(app: NestFastifyApplication): void {
  SwaggerModule.setup(DOCUMENT_PAGE, app, () => apiDocumentOf(app), {
    jsonDocumentUrl: `${DOCUMENT_PAGE}/openapi.json`,
    yamlDocumentUrl: `${DOCUMENT_PAGE}/openapi.yaml`,
    customSiteTitle: 'Muster API',
    swaggerOptions: { docExpansion: 'none', filter: true, displayRequestDuration: true },
  });
}
