/** What a document says of one value, as far as two documents are compared. */
export interface Shape {
  /** `string`, `integer`, …; with the format where that narrows what fits: `string uuid`. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly words?: readonly string[];
  readonly fallback?: string;
  /** `minimum 1`, `maxLength 54`, … */
  readonly limits: ReadonlyMap<string, string>;
}

/** Fields by their path: `hosts[].progress.current_stage`; the value itself is ''. */
export type Shapes = ReadonlyMap<string, Shape>;

export interface ApiAnswer {
  readonly headers: readonly string[];
  readonly fields: Shapes;
}

/** An operation of an API document, whatever that document's format. */
export interface ApiOperation {
  /** By place and name: `query cluster_id`. */
  readonly parameters: Shapes;
  /** Absent: no body is taken. */
  readonly body?: Shapes;
  readonly answers: ReadonlyMap<string, ApiAnswer>;
}

/** By method and path as in the contract: `GET /v2/clusters/{cluster_id}`. */
export type ApiOperations = ReadonlyMap<string, ApiOperation>;
