import { PROBLEMS } from './problem-table';
import type { Refusal } from './refusal';

/** RFC 9457 problem document. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly subject?: string;
  readonly allowed?: readonly string[];
}

export function toProblemDocument(refusal: Refusal): ProblemDocument {
  const { status, title } = PROBLEMS[refusal.code];
  return {
    type: `urn:muster:problem:${refusal.code}`,
    title,
    status,
    detail: refusal.reason,
    subject: refusal.subject,
    allowed: refusal.allowed,
  };
}

/** The v2 contract's `error`: all five members are required there. */
export interface V2Error {
  readonly kind: 'Error';
  readonly id: number;
  readonly href: '';
  readonly code: string;
  readonly reason: string;
}

export function toV2Error(refusal: Refusal): V2Error {
  const { status } = PROBLEMS[refusal.code];
  return { kind: 'Error', id: status, href: '', code: String(status), reason: withAllowed(refusal) };
}

/** The reason as sentences: what would have been accepted stands behind it. */
function withAllowed({ reason, allowed = [] }: Refusal): string {
  if (allowed.length === 0) return reason;
  return `${reason}${/[.!?]$/.test(reason) ? '' : '.'} Allowed: ${allowed.join(', ')}.`;
}

/** The v2 contract's `infra_error` (401, 403) and the framework's errors before a handler runs. */
export interface V2InfraError {
  readonly code: number;
  readonly message: string;
}

export function toV2InfraError(refusal: Refusal): V2InfraError {
  return { code: PROBLEMS[refusal.code].status, message: refusal.reason };
}
