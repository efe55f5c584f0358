import type { OpenAPIObject } from '@nestjs/swagger';
import Ajv from 'ajv';
import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { createApiDocument } from '../main';

type Json = { readonly [name: string]: unknown };

interface DescribedOperation {
  readonly name: string;
  readonly method: string;
  readonly matcher: RegExp;
  readonly responses: Json;
}

/** Returns how a response differs from the document; undefined when it matches. */
export type AnswerChecker = (method: string, path: string, status: number, body: unknown) => string | undefined;

let made: Promise<AnswerChecker> | undefined;

/**
 * Checks responses strictly: a member that the document does not describe is an error. The tests of one file share the
 * checker.
 */
export function answerChecker(): Promise<AnswerChecker> {
  made ??= createApiDocument().then(checkerOf);
  return made;
}

export function checkerOf(document: OpenAPIObject): AnswerChecker {
  const ajv = new Ajv({ strict: true, allErrors: false, validateFormats: true, strictTypes: false });
  addFormats(ajv);
  ajv.addKeyword('components');
  ajv.addFormat('binary', true);
  ajv.addSchema({ $id: 'document', components: closed(document.components) as object });
  const operations = operationsOf(document);
  const validators = new Map<string, ValidateFunction>();

  return (method, path, status, body) => {
    const operation = operations.find((known) => known.method === method && known.matcher.test(path));
    if (!operation) return undefined;
    const answer = operation.responses[String(status)] as Json | undefined;
    if (!answer) return `${operation.name} answers ${status}, which the document does not describe`;
    const schema = schemaOf(resolved(document, answer));
    if (schema === undefined)
      return body === undefined
        ? undefined
        : `${operation.name}: ${status} has a body, but the document describes none`;
    if (schema['format'] === 'binary') return undefined;
    const key = `${operation.name} ${status}`;
    const validate = validators.get(key) ?? ajv.compile(closed(schema) as object);
    validators.set(key, validate);
    if (validate(body)) return undefined;
    const [error] = validate.errors ?? [];
    return `${operation.name}: the body of ${status} does not match its schema: ${error?.instancePath ?? ''} ${error?.message ?? ''} ${JSON.stringify(error?.params)}`;
  };
}

function operationsOf({ paths }: OpenAPIObject): readonly DescribedOperation[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as { readonly [method: string]: Json }).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      matcher: new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`),
      responses: operation['responses'] as Json,
    })),
  );
  // Paths with fewer parameters come first, so that `/clusters/import` does not match `/clusters/{cluster_id}`.
  return operations.sort((one, other) => braces(one.name) - braces(other.name));
}

const braces = (text: string): number => text.split('{').length;

const schemaOf = ({ content = {} }: Json): Json | undefined =>
  (Object.values(content as Json)[0] as Json | undefined)?.['schema'] as Json | undefined;

function resolved(document: OpenAPIObject, answer: Json): Json {
  const { $ref: reference } = answer;
  const name = typeof reference === 'string' ? reference.split('/').at(-1) : undefined;
  return name === undefined ? answer : ((document.components?.responses?.[name] ?? {}) as Json);
}

/**
 * Returns a copy of the schema in which objects with described members allow no others, and references start with
 * `document`.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const members: { [name: string]: unknown } = {};
  for (const [name, member] of Object.entries(value)) members[name] = closed(member);
  if (typeof members['$ref'] === 'string') members['$ref'] = `document${members['$ref']}`;
  const isRecord = members['type'] === 'object' && typeof members['properties'] === 'object';
  return isRecord && members['additionalProperties'] === undefined
    ? { ...members, additionalProperties: false }
    : members;
}
