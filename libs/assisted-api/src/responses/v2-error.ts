import { choice, record, text, whole } from '../schema/answer-schema';

/** `error` of the contract. */
export const V2_ERROR = record('error', {
  kind: choice(['Error']),
  id: whole({ minimum: 400, maximum: 504 }),
  href: text(),
  code: text(),
  reason: text(),
});

/** `infra_error` of the contract: what the framework in front of the handlers refuses. */
export const V2_INFRA_ERROR = record('infra_error', { code: whole({ minimum: 400, maximum: 599 }), message: text() });
