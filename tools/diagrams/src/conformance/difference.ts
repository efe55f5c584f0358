/** The differing aspect. `only in …` names an element that the other document does not contain. */
export type Aspect =
  | 'only in the contract'
  | 'only here'
  | 'type'
  | 'values'
  | 'required'
  | 'default'
  | 'minimum'
  | 'maximum'
  | 'minLength'
  | 'maxLength'
  | 'maxItems'
  | 'pattern';

export interface Difference {
  /** `GET /v2/clusters`. */
  readonly operation: string;
  readonly part: 'operation' | 'parameter' | 'body' | 'status' | 'answer' | 'header';
  /** Parameter, field or status; for fields of answers without their status. */
  readonly place: string;
  readonly aspect: Aspect;
  /** The value in each document; '' where it is absent. */
  readonly contract: string;
  readonly own: string;
}
