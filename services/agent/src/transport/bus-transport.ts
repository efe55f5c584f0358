import type { Timer } from '@muster/host-api';
import type { ConnectNats } from './connect-nats.port';
import { createNatsTransport } from './nats-transport';
import type { BusCredentials, HttpTransport } from './http-transport';
import type { Transport } from './transport.port';
import { withFallback } from './with-fallback';

export interface BusTransportOptions {
  readonly url: string;
  readonly infraEnvId: string;
  readonly hostId: string;
  readonly timer: Timer;
  readonly nowMs: () => number;
  readonly connectNats: ConnectNats;
  readonly createKey: () => { readonly publicKey: string; readonly seed: string };
  /** Called when the bus cannot be used. HTTP is used instead until the next registration. */
  readonly onFallback?: (reason: string) => void;
}

interface Connection {
  readonly transport: Transport;
  credentials: BusCredentials;
  renewAtMs: number;
}

/**
 * HTTP until the host is registered, then the bus with credentials of this host only. They are renewed over HTTP when half of
 * their lifetime is over.
 */
export function withBus(http: HttpTransport, options: BusTransportOptions): Transport {
  const { url, infraEnvId, hostId, timer, nowMs, connectNats } = options;
  const listeners = new Set<() => void>();
  let key: { readonly publicKey: string; readonly seed: string } | undefined;
  let bus: Connection | undefined;

  const request = async (signal: AbortSignal): Promise<Pick<Connection, 'credentials' | 'renewAtMs'>> => {
    key ??= options.createKey();
    const credentials = await http.busCredentials(key.publicKey, signal);
    return { credentials, renewAtMs: nowMs() + (Date.parse(credentials.expiresAt) - nowMs()) / 2 };
  };
  const open = async (signal: AbortSignal): Promise<void> => {
    const first = await request(signal);
    const seed = key?.seed ?? '';
    const requests = await connectNats({
      url,
      identity: { jwt: () => (bus ?? first).credentials.jwt, seed },
      inboxPrefix: first.credentials.inboxPrefix,
      name: `agent ${hostId}`,
    });
    const transport = createNatsTransport({ requests, infraEnvId, hostId, timer });
    transport.listen(() => listeners.forEach((notify) => notify()));
    bus = { transport, ...first };
  };
  const ensure = async (signal: AbortSignal): Promise<void> => {
    try {
      if (!bus) await open(signal);
      else if (nowMs() >= bus.renewAtMs) Object.assign(bus, await request(signal));
    } catch (error) {
      options.onFallback?.(error instanceof Error ? error.message : String(error));
    }
  };
  const current = (): Transport => (bus ? withFallback(bus.transport, http) : http);

  return {
    register: async (agentVersion, identity, signal) => {
      const registration = await current().register(agentVersion, identity, signal);
      await ensure(signal);
      return registration;
    },
    nextSteps: async (agentVersion, timestampSeconds, signal) => {
      if (bus) await ensure(signal);
      return current().nextSteps(agentVersion, timestampSeconds, signal);
    },
    reply: (reply, signal) => current().reply(reply, signal),
    listen: (onNudge) => {
      listeners.add(onNudge);
      return () => void listeners.delete(onNudge);
    },
    close: async () => {
      await Promise.all([bus?.transport.close(), http.close()]);
    },
  };
}
