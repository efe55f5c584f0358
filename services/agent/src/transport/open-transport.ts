import { type Timer } from '@muster/host-api';
import type { Requests } from '@muster/ports';
import type { DiscoverySettings, NatsAccess } from '../discovery/discovery-settings';
import type { Transport } from './transport.port';
import { createHttpTransport } from './http-transport';
import { createNatsTransport } from './nats-transport';
import { withFallback } from './with-fallback';

/** Connects to the bus as one host. `inboxPrefix` is the only place where this host may receive answers. */
export type ConnectNats = (
  access: NatsAccess & { readonly inboxPrefix: string; readonly name: string },
) => Promise<Requests>;

export interface OpenTransportOptions {
  readonly settings: DiscoverySettings;
  readonly hostId: string;
  readonly timer: Timer;
  /** Absent: HTTP only, whatever the image offers. */
  readonly connectNats?: ConnectNats;
  /** Told when the bus cannot be reached and HTTP is taken instead. */
  readonly onFallback?: (reason: string) => void;
}

/** NATS where the image offers it and it can be reached, with HTTP in reserve; otherwise HTTP. */
export async function openTransport(options: OpenTransportOptions): Promise<Transport> {
  const { settings, hostId, timer } = options;
  const { infraEnvId, serviceUrl, token, caPem, isInsecure, proxy } = settings;
  const http = createHttpTransport({ serviceUrl, infraEnvId, hostId, token, caPem, isInsecure, proxy, timer });
  if (!settings.nats || !options.connectNats) return http;
  try {
    const inboxPrefix = settings.nats.inboxPrefix ?? inboxPrefixOf(infraEnvId);
    const requests = await options.connectNats({ ...settings.nats, inboxPrefix, name: `agent ${hostId}` });
    return withFallback(createNatsTransport({ requests, infraEnvId, hostId, timer }), http);
  } catch (error) {
    options.onFallback?.(error instanceof Error ? error.message : String(error));
    return http;
  }
}

/** Where the credentials of an infra-env let its agents take answers. */
const inboxPrefixOf = (infraEnvId: string): string => `_INBOX.${infraEnvId}`;
