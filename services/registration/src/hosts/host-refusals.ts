import type { Refusal } from '@muster/problems';

export const noSuchHost = (hostId: string): Refusal => ({
  code: 'not-found',
  reason: `There is no host ${hostId} in this infra-env; its agent has to register it first.`,
  subject: 'host_id',
});
