/** What differs. `only in …` is about a thing that the other document does not tell of. */
export type Aspect =
  | 'only in the contract'
  | 'only here'
  | 'type'
  | 'words'
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
  /** What each document says; '' where it says nothing. */
  readonly contract: string;
  readonly own: string;
}
