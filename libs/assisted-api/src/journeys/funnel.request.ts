import { documented } from '../requests/field.decorators';
import { QueryText } from '../requests/query.decorators';

const MOMENT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2}))?$/i;

/** A day (its first moment in UTC) or an RFC 3339 time. */
const timestampValidator = documented(
  (value) =>
    typeof value === 'string' && MOMENT.test(value) && !Number.isNaN(Date.parse(value))
      ? undefined
      : 'must be a day or an RFC 3339 time, such as 2026-01-31 or 2026-01-31T12:00:00Z',
  () => ({ type: 'string', pattern: MOMENT.source }),
);

/** Which clusters count: those created from `from` on and before `to`. */
export class FunnelQuery {
  @QueryText(timestampValidator) readonly from?: string;
  @QueryText(timestampValidator) readonly to?: string;
  @QueryText() readonly openshift_version?: string;
  @QueryText() readonly platform?: string;
  @QueryText() readonly topology?: string;
}

/** The moment of the past that is asked for; the present without one. */
export class PastQuery {
  @QueryText(timestampValidator) readonly at?: string;
}
