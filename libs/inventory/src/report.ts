import type { InventoryEvent } from '@muster/contracts';
import type { Violation } from '@muster/schema';
import { toCanonicalJson } from './canonical-json';

/** The result of one step as the agent sent it. */
export interface StepOutput {
  readonly hostKey: string;
  readonly output: string;
  readonly error: string;
  readonly exitCode: number;
  readonly epoch: number;
}

/** Returns `sha256:<64 hex digits>` of a text in UTF-8. */
export type Digest = (text: string) => string;

/** A document that is stored in the object store. */
export interface PendingBody {
  readonly text: string;
  readonly digest: string;
}

/** A report that was read: the event that it becomes, and the documents that the event refers to. */
export interface Report {
  readonly event: InventoryEvent;
  /** Has to be in the object store before the event is appended. */
  readonly body?: PendingBody;
  /** Has to be sealed before the event is appended; part of neither body nor event. */
  readonly secret?: { readonly name: string; readonly plaintext: string };
}

export type ReadResult =
  { readonly kind: 'read'; readonly report: Report } | { readonly kind: 'unreadable'; readonly violation: Violation };

/** The reader of one step type. */
export interface ReportReader {
  readonly stepType: string;
  /** Largest output, in bytes. */
  readonly maxBytes: number;
  readonly read: (step: StepOutput, digest: Digest) => ReadResult;
}

export const unreadable = (path: string, reason: string): ReadResult => ({
  kind: 'unreadable',
  violation: { path, reason },
});

export function toBody(document: unknown, digest: Digest): PendingBody {
  const text = toCanonicalJson(document);
  return { text, digest: digest(text) };
}

export const toStoredBody = ({ text, digest }: PendingBody): { readonly digest: string; readonly bytes: number } => ({
  digest,
  bytes: utf8Length(text),
});

/** Length of the text in UTF-8, in bytes. */
export const utf8Length = (text: string): number => new TextEncoder().encode(text).length;

const INT32_MAX = 2 ** 31 - 1;

/** The number within the range of an event's field: agents report absurd numbers of broken hardware. */
export const toInt32 = (value = 0): number => Math.trunc(Math.max(-INT32_MAX, Math.min(INT32_MAX, value)));
