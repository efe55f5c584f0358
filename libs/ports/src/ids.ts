/** Fresh identities as a capability, so that a seeded run can repeat itself. */
export interface Ids {
  /** A random (version 4) UUID in lower case. */
  uuid(): string;
}
