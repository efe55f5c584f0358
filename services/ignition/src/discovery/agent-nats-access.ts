import type { NatsAccess } from '@muster/ignition-config';
import type { Clock, Secrets } from '@muster/ports';
import { AGENT_NATS_CREDENTIALS } from '../streams/secret-names';

/** Makes credentials that open the subjects of one infra-env and nothing else. */
export interface AgentCredentialsMint {
  /** Where agents reach the bus. */
  readonly url: string;
  /** Which keys the credentials come from: with others they are of no use. */
  readonly issuer: string;
  mint(infraEnvId: string): { readonly credentials: string; readonly inboxPrefix: string; readonly expiresAt: string };
}

export interface AgentNatsAccess extends NatsAccess {
  /** From then on newer credentials are handed out. Milliseconds since the epoch. */
  readonly renewAtMs: number;
}

interface SealedAccess {
  readonly issuer: string;
  readonly credentials: string;
  readonly inboxPrefix: string;
  readonly renewAtMs: number;
}

/**
 * The bus endpoint of an infra-env's agents. Credentials are sealed and handed out again until half of their life is over, so
 * that every download of an image has the same bytes and leaves its hosts time.
 */
export async function agentNatsAccess(
  { url, issuer, mint }: AgentCredentialsMint,
  { secrets, clock }: { readonly secrets: Secrets; readonly clock: Clock },
  infraEnvId: string,
): Promise<AgentNatsAccess> {
  const nowMs = clock.nowMs();
  const sealed = await secrets.open(infraEnvId, AGENT_NATS_CREDENTIALS);
  const known = sealed && (JSON.parse(sealed.toString()) as SealedAccess);
  if (known && known.issuer === issuer && nowMs < known.renewAtMs) {
    const { credentials, inboxPrefix, renewAtMs } = known;
    return { url, credentials, inboxPrefix, renewAtMs };
  }
  const { credentials, inboxPrefix, expiresAt } = mint(infraEnvId);
  const renewAtMs = nowMs + (Date.parse(expiresAt) - nowMs) / 2;
  const fresh: SealedAccess = { issuer, credentials, inboxPrefix, renewAtMs };
  await secrets.seal(infraEnvId, AGENT_NATS_CREDENTIALS, Buffer.from(JSON.stringify(fresh)));
  return { url, credentials, inboxPrefix, renewAtMs };
}
