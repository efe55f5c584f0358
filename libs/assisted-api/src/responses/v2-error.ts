import { Type } from '@sinclair/typebox';
import { StringEnum } from '../schema/answer-schema';

/** `error` of the contract. */
export const V2_ERROR = Type.Object(
  {
    kind: StringEnum(['Error']),
    id: Type.Integer({ minimum: 400, maximum: 504 }),
    href: Type.String(),
    code: Type.String(),
    reason: Type.String(),
  },
  { title: 'error' },
);

/** `infra_error` of the contract: what the framework in front of the handlers refuses. */
export const V2_INFRA_ERROR = Type.Object(
  { code: Type.Integer({ minimum: 400, maximum: 599 }), message: Type.String() },
  { title: 'infra_error' },
);
