import { type JsonSchema, type Static, V2_ERROR, V2_INFRA_ERROR } from '@muster/assisted-api';
import { applyDecorators, Header } from '@nestjs/common';
import { ApiExtension, ApiOperation } from '@nestjs/swagger';
import type { TSchema } from '@sinclair/typebox';

/** Extension of an operation that holds the notes of its route until the document is finished. */
export const NOTE = 'x-answer';

export interface AnswerNote {
  /** Absent when the response has no body. */
  readonly schema?: JsonSchema;
  readonly mediaType: string;
  /** Response headers besides the usual ones, by name. */
  readonly headers: { readonly [name: string]: JsonSchema };
  /** Other statuses with their meaning. Their body is the same, except that 204 has none. */
  readonly others: { readonly [status: string]: string };
  /** The operation answers 409 while its resource does not exist yet. */
  readonly isEarlyAtTimes: boolean;
  /** The request refers to resources by ids outside of its path: 404 when they do not exist. */
  readonly namesOthers: boolean;
  /** The values that the request refers to are checked beyond their format: 422 when they are not valid. */
  readonly checksNames: boolean;
}

type Particulars = Partial<Pick<AnswerNote, 'headers' | 'others' | 'isEarlyAtTimes' | 'namesOthers' | 'checksNames'>>;
/** The property descriptor of a handler, reduced to its result. */
interface Answering<Value> {
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
  <S extends TSchema>(does: string, schema: S, particulars: Particulars = {}) =>
  (target: object, key: string | symbol, handler: Answering<Static<S>>): void => {
    note(does, { ...NOTHING_SPECIAL, ...particulars, schema })(target, key, handler);
  };

/**
 * Documents JSON that the handler returns as text. The compiler cannot check it against the schema; the gateway tests
 * do.
 */
export const AnswersText = (does: string, schema: TSchema, particulars: Particulars = {}): MethodDecorator =>
  applyDecorators(note(does, { ...NOTHING_SPECIAL, ...particulars, schema }), Header('Content-Type', JSON_TEXT_TYPE));

/** Documents a file download. */
export const AnswersFile = (does: string, particulars: Particulars = {}): MethodDecorator =>
  note(does, {
    ...NOTHING_SPECIAL,
    ...particulars,
    schema: { type: 'string', format: 'binary' },
    mediaType: FILE_TYPE,
  });

/** Documents a plain text response, such as metrics. */
export const AnswersPlainText = (does: string): MethodDecorator =>
  note(does, { ...NOTHING_SPECIAL, schema: { type: 'string', format: 'binary' }, mediaType: 'text/plain' });

/** Documents a response without body. */
export const AnswersNothing =
  (does: string, particulars: Particulars = {}) =>
  (target: object, key: string | symbol, handler: Answering<void>): void => {
    note(does, { ...NOTHING_SPECIAL, ...particulars })(target, key, handler);
  };

const NOTHING_SPECIAL: AnswerNote = {
  mediaType: JSON_TYPE,
  headers: {},
  others: {},
  isEarlyAtTimes: false,
  namesOthers: false,
  checksNames: false,
};

const note = (does: string, answer: AnswerNote): MethodDecorator =>
  applyDecorators(ApiOperation({ summary: does }), ApiExtension(NOTE, answer));

/** The properties of an operation that determine its error responses. */
export interface AskedOperation {
  readonly method: string;
  readonly isOpenToAll: boolean;
  readonly hasParameters: boolean;
  readonly namesSomething: boolean;
  readonly hasBody: boolean;
  readonly note: AnswerNote;
}

export interface ErrorRow {
  /** Name of the response in the document. */
  readonly name: string;
  readonly status: number;
  readonly means: string;
  readonly schema: JsonSchema;
  occurs(operation: AskedOperation): boolean;
  readonly headers?: { readonly [name: string]: JsonSchema };
}

const RETRY_AFTER: ErrorRow['headers'] = {
  'Retry-After': { type: 'integer', description: 'Seconds after which a retry is useful.' },
};
/** The HTTP server refuses some requests before a handler runs. Those responses have the shorter body. */
const EITHER: JsonSchema = { oneOf: [V2_ERROR, V2_INFRA_ERROR] };
const isGuarded = ({ isOpenToAll }: AskedOperation): boolean => !isOpenToAll;

/** All error responses, and the operations that have them. */
export const ERROR_ROWS: readonly ErrorRow[] = [
  {
    name: 'malformed',
    status: 400,
    means: 'The request is not valid. The message names the field and what is allowed.',
    schema: EITHER,
    occurs: ({ hasParameters, hasBody }) => hasParameters || hasBody,
  },
  {
    name: 'unproven',
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
    name: 'missing',
    status: 404,
    means: 'Not found, or you do not have access to it.',
    schema: EITHER,
    occurs: ({ namesSomething, note }) => namesSomething || note.namesOthers,
  },
  {
    name: 'not-now',
    status: 409,
    means: 'The current state does not allow the operation. The reason says what to do.',
    schema: V2_ERROR,
    occurs: ({ method, namesSomething, note }) =>
      (method !== 'get' && (namesSomething || note.namesOthers)) || note.isEarlyAtTimes,
  },
  {
    name: 'too-large',
    status: 413,
    means: 'The body exceeds the size limit.',
    schema: EITHER,
    occurs: ({ hasBody }) => hasBody,
  },
  {
    name: 'other-media-type',
    status: 415,
    means: 'The media type of the body is not supported.',
    schema: V2_INFRA_ERROR,
    occurs: ({ hasBody }) => hasBody,
  },
  {
    name: 'unusable-name',
    status: 422,
    means: 'The name is not valid.',
    schema: V2_ERROR,
    occurs: ({ note }) => note.checksNames,
  },
  {
    name: 'too-many',
    status: 429,
    means: 'Too many requests. Retry after the given delay.',
    schema: V2_ERROR,
    occurs: isGuarded,
    headers: RETRY_AFTER,
  },
  {
    name: 'fault',
    status: 500,
    means: 'Internal error. The log has the details under the X-Request-Id of this answer.',
    schema: V2_ERROR,
    occurs: isGuarded,
  },
  {
    name: 'away',
    status: 503,
    means: 'A dependency is unavailable. Retry after the given delay.',
    schema: V2_ERROR,
    occurs: isGuarded,
    headers: RETRY_AFTER,
  },
];

export const errorsOf = (operation: AskedOperation): readonly ErrorRow[] =>
  ERROR_ROWS.filter((row) => row.occurs(operation));
