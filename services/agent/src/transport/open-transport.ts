import { type Timer } from '@muster/host-api';
import type { DiscoverySettings } from '../discovery/discovery-settings';
import { withBus } from './bus-transport';
import { createBusKey } from './connect-nats';
import type { ConnectNats } from './connect-nats.port';
import { createHttpTransport } from './http-transport';
import { createNatsTransport } from './nats-transport';
import type { Transport } from './transport.port';
import { withFallback } from './with-fallback';

export interface OpenTransportOptions {
  readonly settings: DiscoverySettings;
  readonly hostId: string;
  readonly timer: Timer;
  /** Absent: HTTP only, whatever the image offers. */
  readonly connectNats?: ConnectNats;
  /** Called with the reason when the bus cannot be used and HTTP is used instead. */
  readonly onFallback?: (reason: string) => void;
}

/** The bus when the image offers it, with HTTP as fallback; otherwise HTTP. */
export async function openTransport(options: OpenTransportOptions): Promise<Transport> {
  const { settings, hostId, timer, connectNats, onFallback } = options;
  const { infraEnvId, serviceUrl, token, caPem, isInsecure, proxy, nats } = settings;
  const http = createHttpTransport({ serviceUrl, infraEnvId, hostId, token, caPem, isInsecure, proxy, timer });
  if (!nats || !connectNats) return http;
  if (!nats.credentials) {
    const { url } = nats;
    const nowMs = (): number => Date.now();
    return withBus(http, { url, infraEnvId, hostId, timer, nowMs, connectNats, createKey: createBusKey, onFallback });
  }
  try {
    const inboxPrefix = nats.inboxPrefix ?? `_INBOX.${infraEnvId}.${hostId}`;
    const requests = await connectNats({ ...nats, inboxPrefix, name: `agent ${hostId}` });
    return withFallback(createNatsTransport({ requests, infraEnvId, hostId, timer }), http);
  } catch (error) {
    onFallback?.(error instanceof Error ? error.message : String(error));
    return http;
  }
}
