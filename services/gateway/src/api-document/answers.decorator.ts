import type { TSchema } from '@sinclair/typebox';
import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiOperation } from '@nestjs/swagger';
import type { JsonSchema, Static } from '@muster/assisted-api';

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

/** A route of the contract that is always refused. */
export const AnswersRefusal = (does: string): MethodDecorator => note(does, NOTHING_SPECIAL);

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
