import type { ApiAnswer, ApiOperation, ApiOperations, Shape } from './api-operation';
import { follow, type Json, readShapes } from './read-shapes';

/** Reads an OpenAPI 3.0 document, limited to paths below `prefix`. */
export function readOwnDocument(document: Json, prefix: string): ApiOperations {
  const operations = new Map<string, ApiOperation>();
  for (const [path, methods] of Object.entries(document['paths'] as Json))
    for (const [method, operation] of Object.entries(methods as Json))
      if (path.startsWith(prefix))
        operations.set(
          `${method.toUpperCase()} ${path.slice(prefix.length)}`,
          readOperation(document, operation as Json),
        );
  return operations;
}

function readOperation(document: Json, operation: Json): ApiOperation {
  const shapes = new Map<string, Shape>();
  for (const { in: place, name, required, schema } of (operation['parameters'] ?? []) as readonly Json[])
    for (const [path, shape] of readShapes(document, schema as Json, required === true))
      shapes.set(`${String(place)} ${String(name)}${path}`, shape);
  const body = operation['requestBody'] as Json | undefined;
  const content = body && contentOf(body);
  return {
    parameters: shapes,
    ...(body && content && { body: readShapes(document, content, body['required'] === true) }),
    answers: new Map(
      Object.entries(operation['responses'] as Json).map(([status, answer]) => [
        status,
        readAnswer(document, answer as Json),
      ]),
    ),
  };
}

/** Every operation documents one media type. */
const contentOf = ({ content = {} }: Json): Json | undefined =>
  (Object.values(content as Json)[0] as Json | undefined)?.['schema'] as Json | undefined;

function readAnswer(document: Json, given: Json): ApiAnswer {
  const { $ref: reference } = given;
  const answer = typeof reference === 'string' ? follow(document, reference) : given;
  const schema = contentOf(answer);
  return {
    headers: Object.keys((answer['headers'] ?? {}) as Json),
    fields: schema ? readShapes(document, schema) : new Map(),
  };
}
