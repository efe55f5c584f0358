import { descriptionOf, EVENT_SEVERITIES, type JsonSchema } from '@muster/assisted-api';
import { type ApiBodyOptions, ApiHeader, ApiParam } from '@nestjs/swagger';

type OpenApiSchema = Exclude<Extract<ApiBodyOptions, { schema: unknown }>['schema'], { $ref: string }>;

/** The schema in the framework's type. */
// eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the framework's type has mutable lists; nothing changes them
export const toOpenApi = (schema: JsonSchema): OpenApiSchema => schema as OpenApiSchema;

/** Documents an optional header of the request. */
export const documentHeader = (name: string, schema: JsonSchema = { type: 'string' }): MethodDecorator =>
  ApiHeader({ name, required: false, description: descriptionOf('header', name), schema: toOpenApi(schema) });

/** Documents a path parameter. */
export const documentPathParameter = (name: string, schema: JsonSchema): MethodDecorator =>
  ApiParam({ name, required: true, description: descriptionOf('path', name), schema: toOpenApi(schema) });

/** The schema of an id in a path. */
export const ID_SCHEMA: JsonSchema = { type: 'string', format: 'uuid' };

/** Response header: the response does not yet show all validations, roles and statuses that follow from the request. */
export const EVALUATION_HEADER = 'Muster-Evaluation';

/** Documents the header with the version of the agent. Only the routes that return steps read it. */
export const SendsAgentVersion = (): MethodDecorator => documentHeader('discovery_agent_version');

/** A parameter decorator that also changes the API document of its handler. */
export const documented =
  (parameter: ParameterDecorator, note: MethodDecorator): ParameterDecorator =>
  (target, key, index) => {
    parameter(target, key, index);
    const handler = key === undefined ? undefined : Object.getOwnPropertyDescriptor(target, key);
    if (key !== undefined && handler) note(target, key, handler);
  };

export const EVENT_COUNT = 'Event-Count';
export const severityCountHeader = (severity: string): string =>
  `Severity-Count-${severity.charAt(0).toUpperCase()}${severity.slice(1)}`;

/** Headers of a list of events with the number of all matching events. */
export const EVENT_COUNT_HEADERS: { readonly [name: string]: JsonSchema } = {
  [EVENT_COUNT]: { type: 'integer', description: 'Number of matching events.' },
  ...Object.fromEntries(
    EVENT_SEVERITIES.map((severity) => [
      severityCountHeader(severity),
      {
        type: 'integer',
        description: `Number of matching events of severity ${severity}, regardless of the severity filter.`,
      },
    ]),
  ),
};
