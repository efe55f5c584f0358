import { type JsonSchema, type Static, V2_ERROR, V2_INFRA_ERROR } from '@muster/assisted-api';
import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiOperation } from '@nestjs/swagger';
import type { TSchema } from '@sinclair/typebox';

/** Where a route's note stands in the operation until the document is finished. */
export const NOTE = 'x-answer';

export interface AnswerNote {
  /** Absent: the answer has no body. */
  readonly schema?: JsonSchema;
  readonly mediaType: string;
  /** Name to what it says, of headers beside the usual ones. */
  readonly headers: { readonly [name: string]: JsonSchema };
  /** Other statuses, with what each means; the body is the same, but for 204. */
  readonly others: { readonly [status: string]: string };
  /** It can be too early to ask: answered 409. */
  readonly isEarlyAtTimes: boolean;
  /** The request names resources by ids outside of its path: 404 when they do not exist. */
  readonly namesOthers: boolean;
  /** What it names is checked beyond its form: answered 422. */
  readonly checksNames: boolean;
}

type Particulars = Partial<Pick<AnswerNote, 'headers' | 'others' | 'isEarlyAtTimes' | 'namesOthers' | 'checksNames'>>;
/** The part of a property descriptor that has the result of the handler. */
interface Answering<Value> {
  readonly value?: (...parameters: never[]) => Value | Promise<Value>;
}

const JSON_TYPE = 'application/json';
const FILE_TYPE = 'application/octet-stream';

/** `does` is the summary: one imperative sentence. The handler's result has the type of the schema. */
export const Answers =
  <S extends TSchema>(does: string, schema: S, particulars: Particulars = {}) =>
  (target: object, key: string | symbol, handler: Answering<Static<S>>): void => {
    note(does, { ...NOTHING_SPECIAL, ...particulars, schema })(target, key, handler);
  };

/** JSON that leaves as text: no type ties it to its schema, `answers.int.spec.ts` does. */
export const AnswersText = (does: string, schema: TSchema, particulars: Particulars = {}): MethodDecorator =>
  note(does, { ...NOTHING_SPECIAL, ...particulars, schema });

/** A file to be saved. */
export const AnswersFile = (does: string, particulars: Particulars = {}): MethodDecorator =>
  note(does, {
    ...NOTHING_SPECIAL,
    ...particulars,
    schema: { type: 'string', format: 'binary' },
    mediaType: FILE_TYPE,
  });

/** Text for programs that watch. */
export const AnswersPlainText = (does: string): MethodDecorator =>
  note(does, { ...NOTHING_SPECIAL, schema: { type: 'string', format: 'binary' }, mediaType: 'text/plain' });

/** No body. */
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

/** As much of an operation as decides in which ways it can be refused. */
export interface AskedOperation {
  readonly method: string;
  readonly isOpenToAll: boolean;
  readonly hasParameters: boolean;
  readonly namesSomething: boolean;
  readonly hasBody: boolean;
  readonly note: AnswerNote;
}

export interface ErrorRow {
  /** Its name in the document. */
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
/** Requests that the HTTP server refuses before a handler runs get the shorter body. */
const EITHER: JsonSchema = { oneOf: [V2_ERROR, V2_INFRA_ERROR] };
const isGuarded = ({ isOpenToAll }: AskedOperation): boolean => !isOpenToAll;

/** Every way in which an operation can be refused, and which operations can be. */
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
