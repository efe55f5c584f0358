import { type JsonSchema, V2_ERROR, V2_INFRA_ERROR } from '@muster/assisted-api';
import type { AnswerNote } from './answers.decorator';

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
  'Retry-After': { type: 'integer', description: 'Seconds after which asking again makes sense.' },
};
/** What the server refuses before a handler has looked at it is told in fewer words. */
const EITHER: JsonSchema = { oneOf: [V2_ERROR, V2_INFRA_ERROR] };
const isGuarded = ({ isOpenToAll }: AskedOperation): boolean => !isOpenToAll;

/** Every way in which an operation can be refused, and which operations can be. */
export const ERROR_ROWS: readonly ErrorRow[] = [
  {
    name: 'malformed',
    status: 400,
    means: 'The request does not have the required form; the message names the field.',
    schema: EITHER,
    occurs: ({ hasParameters, hasBody }) => hasParameters || hasBody,
  },
  {
    name: 'unproven',
    status: 401,
    means: 'The request proves nothing about who asks.',
    schema: V2_INFRA_ERROR,
    occurs: isGuarded,
  },
  {
    name: 'forbidden',
    status: 403,
    means: 'Whoever asks may not do this.',
    schema: V2_INFRA_ERROR,
    occurs: isGuarded,
  },
  {
    name: 'missing',
    status: 404,
    means: 'There is no such thing, or it belongs to somebody else.',
    schema: EITHER,
    occurs: ({ namesSomething, note }) => namesSomething || note.namesOthers,
  },
  {
    name: 'not-now',
    status: 409,
    means: 'The state does not allow this, now or ever; the reason says which it is.',
    schema: V2_ERROR,
    occurs: ({ method, namesSomething, note }) =>
      (method !== 'get' && (namesSomething || note.namesOthers)) || note.isEarlyAtTimes,
  },
  {
    name: 'too-large',
    status: 413,
    means: 'The body is too large.',
    schema: EITHER,
    occurs: ({ hasBody }) => hasBody,
  },
  {
    name: 'other-media-type',
    status: 415,
    means: 'The body has another media type.',
    schema: V2_INFRA_ERROR,
    occurs: ({ hasBody }) => hasBody,
  },
  {
    name: 'unusable-name',
    status: 422,
    means: 'The name cannot be used.',
    schema: V2_ERROR,
    occurs: ({ note }) => note.checksNames,
  },
  {
    name: 'too-many',
    status: 429,
    means: 'Too many requests from there.',
    schema: V2_ERROR,
    occurs: isGuarded,
    headers: RETRY_AFTER,
  },
  {
    name: 'fault',
    status: 500,
    means: 'A fault of the service itself; its log says more.',
    schema: V2_ERROR,
    occurs: isGuarded,
  },
  {
    name: 'away',
    status: 503,
    means: 'Something that is needed for this is away.',
    schema: V2_ERROR,
    occurs: isGuarded,
    headers: RETRY_AFTER,
  },
];

export const errorsOf = (operation: AskedOperation): readonly ErrorRow[] =>
  ERROR_ROWS.filter((row) => row.occurs(operation));
