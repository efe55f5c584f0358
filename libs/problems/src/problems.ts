import { type Refusal as DecisionRefusal, RefusalError as DecisionRefusalError } from '@muster/decision';

/**
 * All codes with which a request can be refused, with HTTP status and title. Codes are stable. The documentation and
 * both error bodies are created from this table.
 */
export const PROBLEMS = {
  'invalid-input': { status: 400, title: 'The request does not have the required form' },
  'not-allowed-in-state': { status: 409, title: 'The current state does not allow the request' },
  'not-found': { status: 404, title: 'The resource does not exist' },
  'already-exists': { status: 409, title: 'It exists already' },
  'conflicts-with-other': { status: 409, title: 'The request conflicts with the current state' },
  'host-already-installed': { status: 409, title: 'The host is installed' },
  'host-must-boot-from-disk': { status: 400, title: 'The host must boot from its installation disk' },
  'cluster-does-not-accept-hosts': { status: 409, title: 'The cluster does not accept hosts in its current status' },
  'host-refuses': { status: 409, title: 'A host of the cluster does not allow the request' },
  'identity-conflict': { status: 409, title: 'Two machines use one host id' },
  'not-ready': { status: 409, title: 'Not ready yet' },
  'too-large': { status: 413, title: 'The body is too large' },
  'unusable-name': { status: 422, title: 'The name is not valid' },
  unauthorized: { status: 401, title: 'The credentials are missing or not valid' },
  forbidden: { status: 403, title: 'The credentials do not allow the request' },
  'too-many-requests': { status: 429, title: 'Too many requests' },
  'insufficient-storage': { status: 507, title: 'The disk is full' },
  unavailable: { status: 503, title: 'A server that the service needs is not available' },
  busy: { status: 503, title: 'The service is temporarily unavailable' },
  'not-supported': { status: 501, title: 'The operation is not supported' },
  internal: { status: 500, title: 'Internal error' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** A refusal with a code of the problem table. */
export type Refusal = DecisionRefusal<ProblemCode>;

/** A thrown refusal with a code of the problem table. */
export type RefusalError = DecisionRefusalError<ProblemCode>;
export const RefusalError: new (refusal: Refusal) => RefusalError = DecisionRefusalError;

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
    allowed: refusal.allowed?.length ? refusal.allowed : undefined,
  };
}

/** The `error` body of the v2 API. All five members are required. */
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

/** Returns the reason as sentences, followed by the accepted values. */
function withAllowed({ reason, allowed = [] }: Refusal): string {
  if (allowed.length === 0) return reason;
  return `${reason}${/[.!?]$/.test(reason) ? '' : '.'} Allowed: ${allowed.join(', ')}.`;
}

/**
 * The `infra_error` body of the v2 API, for status 401 and 403, and for errors of the framework before a handler runs.
 */
export interface V2InfraError {
  readonly code: number;
  readonly message: string;
}

export function toV2InfraError(refusal: Refusal): V2InfraError {
  return { code: PROBLEMS[refusal.code].status, message: refusal.reason };
}
