import { descriptionOf, EVENT_SEVERITIES, type JsonSchema } from '@muster/assisted-api';
import { type ApiBodyOptions, ApiHeader } from '@nestjs/swagger';

type OpenApiSchema = Exclude<Extract<ApiBodyOptions, { schema: unknown }>['schema'], { $ref: string }>;

/** The framework's type has mutable lists; nothing changes them. */
export const toOpenApi = (schema: JsonSchema): OpenApiSchema => schema as OpenApiSchema;

/** Documents an optional header of the request. */
export const headerNote = (name: string, schema: JsonSchema = { type: 'string' }): MethodDecorator =>
  ApiHeader({ name, required: false, description: descriptionOf('header', name), schema: toOpenApi(schema) });

/** Documents the version that agents send with every request; only the routes that hand out work read it. */
export const SendsAgentVersion = (): MethodDecorator => headerNote('discovery_agent_version');

/** A parameter decorator that also decorates the handler, so that the API document shows the parameter. */
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

/** What a list of events tells about the events that are not on its page. */
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
