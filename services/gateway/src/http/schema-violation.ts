/** The request does not have the form of the contract; answered before anything is done, as `{code, message}`. */
export class SchemaViolation extends Error {
  constructor(
    message: string,
    readonly status: 400 | 408 | 413 | 415 = 400,
  ) {
    super(message);
    this.name = 'SchemaViolation';
  }
}
