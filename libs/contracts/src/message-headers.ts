/** Header names of the bus: caller, owner, and command id. Headers never contain secrets. */
export const HEADERS = {
  commandId: 'muster-command-id',
  actor: 'muster-actor',
  org: 'muster-org',
  user: 'muster-user',
  sourceAddress: 'muster-source-address',
  requestId: 'muster-request-id',
  correlationId: 'muster-correlation-id',
  causationId: 'muster-causation-id',
} as const;
