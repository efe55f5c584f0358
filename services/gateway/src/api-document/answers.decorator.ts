import { type JsonSchema, type Static, V2_ERROR, V2_INFRA_ERROR } from '@muster/assisted-api';
import { isObject } from '@muster/schema';
import { applyDecorators, Header } from '@nestjs/common';
import { ApiExtension, ApiOperation } from '@nestjs/swagger';
import type { TSchema } from '@sinclair/typebox';

/** Extension of an operation that holds the notes of its route until the document is finished. */
export const NOTE = 'x-answer';

export interface AnswerNote {
  /** Absent when the response has no body. */
  readonly schema?: JsonSchema;
  readonly mediaType: string;
  /** Response headers in addition to the usual ones, by name. */
  readonly headers: { readonly [name: string]: JsonSchema };
  /** Other statuses with their meaning. Their body is the same, except that 204 has none. */
  readonly others: { readonly [status: string]: string };
  /** A read that the present state may not allow: 409, for example while the resource does not exist yet. */
  readonly mayBeNotReady: boolean;
  /** A read that may store an event or a secret: 507 when the disk is full. */
  readonly mayStore: boolean;
  /** The settings of the service may exclude the operation: 501. */
  readonly mayBeUnsupported: boolean;
  /** The request refers to resources by ids outside of its path: 404 when they do not exist. */
  readonly refersToOthers: boolean;
  /** The values that the request refers to are checked beyond their format: 422 when they are not valid. */
  readonly validatesNames: boolean;
}

/** Routes note their answers through the decorators of this file only. */
export const isAnswerNote = (value: unknown): value is AnswerNote =>
  isObject(value) && typeof value['mediaType'] === 'string' && isObject(value['headers']) && isObject(value['others']);

type AnswerOptions = Partial<Omit<AnswerNote, 'schema' | 'mediaType'>>;
/** The property descriptor of a handler, reduced to its result. */
interface HandlerDescriptor<Value> {
  readonly value?: (...parameters: never[]) => Value | Promise<Value>;
}

const JSON_TYPE = 'application/json';
const JSON_TEXT_TYPE = 'application/json; charset=utf-8';
const FILE_TYPE = 'application/octet-stream';

/**
 * Documents a JSON response and checks at compile time that the handler returns the type of the schema. `summary` is
 * one imperative sentence.
 */
export const Answers =
  <S extends TSchema>(summary: string, schema: S, options: AnswerOptions = {}) =>
  (target: object, key: string | symbol, handler: HandlerDescriptor<Static<S>>): void => {
    note(summary, { ...DEFAULT_NOTE, ...options, schema })(target, key, handler);
  };

/**
 * Documents JSON that the handler returns as text. The compiler cannot check it against the schema; the gateway tests
 * do.
 */
export const AnswersText = (summary: string, schema: TSchema, options: AnswerOptions = {}): MethodDecorator =>
  applyDecorators(note(summary, { ...DEFAULT_NOTE, ...options, schema }), Header('Content-Type', JSON_TEXT_TYPE));

/** Documents a file download. */
export const AnswersFile = (summary: string, options: AnswerOptions = {}): MethodDecorator =>
  note(summary, {
    ...DEFAULT_NOTE,
    ...options,
    schema: { type: 'string', format: 'binary' },
    mediaType: FILE_TYPE,
  });

/** Documents a plain text response, such as metrics. */
export const AnswersPlainText = (summary: string): MethodDecorator =>
  note(summary, { ...DEFAULT_NOTE, schema: { type: 'string', format: 'binary' }, mediaType: 'text/plain' });

/** Documents a response without body. */
export const AnswersNothing =
  (summary: string, options: AnswerOptions = {}) =>
  (target: object, key: string | symbol, handler: HandlerDescriptor<void>): void => {
    note(summary, { ...DEFAULT_NOTE, ...options })(target, key, handler);
  };

const DEFAULT_NOTE: AnswerNote = {
  mediaType: JSON_TYPE,
  headers: {},
  others: {},
  mayBeNotReady: false,
  mayStore: false,
  mayBeUnsupported: false,
  refersToOthers: false,
  validatesNames: false,
};

const note = (summary: string, answer: AnswerNote): MethodDecorator =>
  applyDecorators(ApiOperation({ summary }), ApiExtension(NOTE, answer));

/** The properties of an operation that determine its error responses. */
export interface DocumentedOperation {
  readonly method: string;
  readonly isOpenToAll: boolean;
  readonly hasParameters: boolean;
  readonly refersToResource: boolean;
  readonly hasBody: boolean;
  readonly note: AnswerNote;
}

export interface ErrorRow {
  /** Name of the response in the document. */
  readonly name: string;
  readonly status: number;
  readonly means: string;
  readonly schema: JsonSchema;
  occurs(operation: DocumentedOperation): boolean;
  readonly headers?: { readonly [name: string]: JsonSchema };
}

const RETRY_AFTER: ErrorRow['headers'] = {
  'Retry-After': { type: 'integer', description: 'Seconds after which a retry is useful.' },
};
/** The HTTP server refuses some requests before a handler runs. Those responses have the shorter body. */
const ANY_ERROR: JsonSchema = { oneOf: [V2_ERROR, V2_INFRA_ERROR] };
const isGuarded = ({ isOpenToAll }: DocumentedOperation): boolean => !isOpenToAll;

/** All error responses, and the operations that have them. */
export const ERROR_ROWS: readonly ErrorRow[] = [
  {
    name: 'bad-request',
    status: 400,
    means: 'The request is not valid. The message names the field and what is allowed.',
    schema: ANY_ERROR,
    occurs: ({ hasParameters, hasBody }) => hasParameters || hasBody,
  },
  {
    name: 'unauthorized',
    status: 401,
    means: 'The credentials are missing or not valid.',
    schema: V2_INFRA_ERROR,
    occurs: isGuarded,
  },
  {
    name: 'forbidden',
    status: 403,
    means: 'The credentials do not allow this operation.',
    schema: V2_INFRA_ERROR,
    occurs: isGuarded,
  },
  {
    name: 'not-found',
    status: 404,
    means: 'Not found, or you do not have access to it.',
    schema: ANY_ERROR,
    occurs: ({ refersToResource, note }) => refersToResource || note.refersToOthers,
  },
  {
    name: 'too-slow',
    status: 408,
    means: 'The body arrived too slowly.',
    schema: V2_INFRA_ERROR,
    occurs: ({ hasBody }) => hasBody,
  },
  {
    name: 'conflict',
    status: 409,
    means: 'The current state does not allow the operation. The reason says what to do.',
    schema: V2_ERROR,
    occurs: ({ method, refersToResource, note }) =>
      (method !== 'get' && (refersToResource || note.refersToOthers)) || note.mayBeNotReady,
  },
  {
    name: 'too-large',
    status: 413,
    means: 'The body exceeds the size limit.',
    schema: ANY_ERROR,
    occurs: ({ hasBody }) => hasBody,
  },
  {
    name: 'unsupported-media-type',
    status: 415,
    means: 'The media type of the body is not supported.',
    schema: V2_INFRA_ERROR,
    occurs: ({ hasBody }) => hasBody,
  },
  {
    name: 'invalid-name',
    status: 422,
    means: 'The name is not valid.',
    schema: V2_ERROR,
    occurs: ({ note }) => note.validatesNames,
  },
  {
    name: 'too-many-requests',
    status: 429,
    means: 'Too many requests. Retry after the given delay.',
    schema: V2_ERROR,
    occurs: isGuarded,
    headers: RETRY_AFTER,
  },
  {
    name: 'internal-error',
    status: 500,
    means: 'Internal error. The log has the details under the X-Request-Id of this answer.',
    schema: V2_ERROR,
    occurs: isGuarded,
  },
  {
    name: 'not-supported',
    status: 501,
    means: 'The settings of the service exclude this operation.',
    schema: V2_ERROR,
    occurs: ({ note }) => note.mayBeUnsupported,
  },
  {
    name: 'unavailable',
    status: 503,
    means: 'A dependency is unavailable. Retry after the given delay.',
    schema: V2_ERROR,
    occurs: isGuarded,
    headers: RETRY_AFTER,
  },
  {
    name: 'insufficient-storage',
    status: 507,
    means: 'The disk is full, or the space for the logs of the cluster is used. The reason names the remedy.',
    schema: V2_ERROR,
    occurs: (operation) => (operation.method !== 'get' || operation.note.mayStore) && isGuarded(operation),
  },
];

export const errorsOf = (operation: DocumentedOperation): readonly ErrorRow[] =>
  ERROR_ROWS.filter((row) => row.occurs(operation));
