import { type JsonSchema, descriptionOf } from '@muster/assisted-api';
import { ApiHeader } from '@nestjs/swagger';
import { toOpenApi } from './to-open-api';

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
