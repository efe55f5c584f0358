import type { Requests } from '@muster/ports';
import type { Pace } from '../agent/pace';
import type { DiscoverySettings, NatsAccess } from '../discovery/discovery-settings';
import type { Door } from './door.port';
import { createHttpDoor } from './http-door';
import { createNatsDoor } from './nats-door';
import { withSpareDoor } from './spare-door';

/** Connects to the bus as one host. `inboxPrefix` is the only place where this host may receive answers. */
export type ConnectNats = (
  access: NatsAccess & { readonly inboxPrefix: string; readonly name: string },
) => Promise<Requests>;

export interface OpenDoorOptions {
  readonly settings: DiscoverySettings;
  readonly hostId: string;
  readonly pace: Pace;
  /** Absent: HTTP only, whatever the image offers. */
  readonly connectNats?: ConnectNats;
  /** Told when the bus cannot be reached and HTTP is taken instead. */
  readonly onFallback?: (reason: string) => void;
}

/** NATS where the image offers it and it can be reached, with HTTP in reserve; otherwise HTTP. */
export async function openDoor(options: OpenDoorOptions): Promise<Door> {
  const { settings, hostId, pace } = options;
  const { infraEnvId, serviceUrl, token, caPem, isInsecure } = settings;
  const http = createHttpDoor({ serviceUrl, infraEnvId, hostId, token, caPem, isInsecure, pace });
  if (!settings.nats || !options.connectNats) return http;
  try {
    const inboxPrefix = settings.nats.inboxPrefix ?? inboxPrefixOf(infraEnvId);
    const requests = await options.connectNats({ ...settings.nats, inboxPrefix, name: `agent ${hostId}` });
    return withSpareDoor(createNatsDoor({ requests, infraEnvId, hostId, pace }), http);
  } catch (error) {
    options.onFallback?.(error instanceof Error ? error.message : String(error));
    return http;
  }
}

/** Where the credentials of an infra-env let its agents take answers. */
const inboxPrefixOf = (infraEnvId: string): string => `_INBOX.${infraEnvId}`;
