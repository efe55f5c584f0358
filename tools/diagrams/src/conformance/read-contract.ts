import type { ApiAnswer, ApiOperation, ApiOperations, Shape } from './api-operation';
import { type Json, readShapes } from './read-shapes';

/** A Swagger 2.0 document. */
export function readContract(document: Json): ApiOperations {
  const operations = new Map<string, ApiOperation>();
  for (const [path, methods] of Object.entries(document['paths'] as Json))
    for (const [method, operation] of Object.entries(methods as Json))
      operations.set(`${method.toUpperCase()} ${path}`, readOperation(document, operation as Json));
  return operations;
}

function readOperation(document: Json, operation: Json): ApiOperation {
  const parameters = (operation['parameters'] ?? []) as readonly Json[];
  const body = parameters.find((parameter) => parameter['in'] === 'body');
  const form = parameters.filter((parameter) => parameter['in'] === 'formData');
  const shapes = new Map<string, Shape>();
  for (const parameter of parameters) {
    const { in: place, name } = parameter;
    if (place === 'body' || place === 'formData') continue;
    for (const [path, shape] of readShapes(document, { ...parameter, required: [] }, parameter['required'] === true))
      shapes.set(`${String(place)} ${String(name)}${path}`, shape);
  }
  return {
    parameters: shapes,
    ...(body && { body: readShapes(document, body['schema'] as Json, body['required'] === true) }),
    ...(form.length > 0 && { body: readShapes(document, formSchema(form)) }),
    answers: new Map(
      Object.entries(operation['responses'] as Json).map(([status, answer]) => [
        status,
        readAnswer(document, answer as Json),
      ]),
    ),
  };
}

const formSchema = (fields: readonly Json[]): Json => ({
  type: 'object',
  properties: Object.fromEntries(fields.map(({ required: _, ...field }) => [String(field['name']), field])),
  required: fields.filter(({ required }) => required === true).map(({ name }) => String(name)),
});

const readAnswer = (document: Json, { headers = {}, schema }: Json): ApiAnswer => ({
  headers: Object.keys(headers as Json),
  fields: schema ? readShapes(document, schema as Json) : new Map(),
});
