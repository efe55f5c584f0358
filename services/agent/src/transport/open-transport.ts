import type { Timer } from '@muster/host-api';
import { createJsonReader, errorMessage } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import type { DiscoverySettings } from '../discovery-settings';
import { type BusCredentials, createHttpTransport, type HttpTransport } from './http-transport';
import { type ConnectNats, createBusKey, createNatsTransport } from './nats-transport';
import { type Transport, TransportRefused, TransportUnreachable } from './transport.port';

/**
 * Uses `first`, and `spare` when `first` does not answer or the message is too large for it. Other refusals are answers. Wake-ups are
 * received from both.
 */
export function withFallback(first: Transport, spare: Transport): Transport {
  const through = async <T>(go: (transport: Transport) => Promise<T>): Promise<T> => {
    try {
      return await go(first);
    } catch (error) {
      const isTooLarge = error instanceof TransportRefused && error.isTooLarge;
      if (!isTooLarge && !(error instanceof TransportUnreachable)) throw error;
      return go(spare);
    }
  };
  return {
    register: (...args) => through((transport) => transport.register(...args)),
    nextSteps: (...args) => through((transport) => transport.nextSteps(...args)),
    reply: (...args) => through((transport) => transport.reply(...args)),
    listen: (onNudge) => {
      const stops = [first.listen(onNudge), spare.listen(onNudge)];
      return () => stops.forEach((stop) => stop());
    },
    close: async () => {
      await Promise.all([first.close(), spare.close()]);
    },
  };
}

export interface BusTransportOptions {
  readonly url: string;
  /** The certificate authority of the bus, PEM. */
  readonly caPem?: string;
  readonly infraEnvId: string;
  readonly hostId: string;
  readonly timer: Timer;
  /** A time that no change of the clock affects, in milliseconds. */
  readonly nowMs: () => number;
  readonly connectNats: ConnectNats;
  readonly createKey: () => { readonly publicKey: string; readonly seed: string };
  /** Called when the bus cannot be used. Then HTTP is used until the next registration. */
  readonly onFallback?: (reason: string) => void;
}

interface Connection {
  readonly transport: Transport;
  credentials: BusCredentials;
  renewAtMs: number;
}

const readClaims = createJsonReader(Type.Object({ iat: Type.Number(), exp: Type.Number() }), { name: 'the bus token' });

/** Returns milliseconds. Both times in the token are of the service, because the clock of the host may be wrong or not set yet. */
function lifetimeMsOf({ jwt }: BusCredentials): number {
  const [, payload = ''] = jwt.split('.');
  const { exp, iat } = readClaims(Buffer.from(payload, 'base64url').toString('utf8'));
  return (exp - iat) * 1_000;
}

/**
 * Uses HTTP until the host is registered, then the bus with credentials of this host. They are renewed over HTTP after
 * half of their lifetime.
 */
export function withBus(http: HttpTransport, options: BusTransportOptions): Transport {
  const { url, caPem, infraEnvId, hostId, timer, nowMs, connectNats } = options;
  const listeners = new Set<() => void>();
  let key: { readonly publicKey: string; readonly seed: string } | undefined;
  let bus: Connection | undefined;

  const request = async (signal: AbortSignal): Promise<Pick<Connection, 'credentials' | 'renewAtMs'>> => {
    key ??= options.createKey();
    const credentials = await http.busCredentials(key.publicKey, signal);
    return { credentials, renewAtMs: nowMs() + lifetimeMsOf(credentials) / 2 };
  };
  const open = async (signal: AbortSignal): Promise<void> => {
    const first = await request(signal);
    const seed = key?.seed ?? '';
    const requests = await connectNats({
      url,
      caPem,
      identity: { jwt: () => (bus ?? first).credentials.jwt, seed },
      inboxPrefix: first.credentials.inboxPrefix,
      name: `agent ${hostId}`,
    });
    const transport = createNatsTransport({ requests, infraEnvId, hostId, timer });
    transport.listen(() => listeners.forEach((notify) => notify()));
    bus = { transport, ...first };
  };
  const report = (error: unknown): void => options.onFallback?.(errorMessage(error));
  let renewal: Promise<void> | undefined;
  /** Does not wait for the renewal: polls continue over the bus while the REST API does not answer. */
  const renewWhenDue = (used: Connection, signal: AbortSignal): void => {
    if (renewal || nowMs() < used.renewAtMs) return;
    renewal = request(signal)
      .then((renewed) => void Object.assign(used, renewed), report)
      .finally(() => (renewal = undefined));
  };
  const current = (): Transport => (bus ? withFallback(bus.transport, http) : http);

  return {
    register: async (agentVersion, identity, signal) => {
      const registration = await current().register(agentVersion, identity, signal);
      if (bus) renewWhenDue(bus, signal);
      else await open(signal).catch(report);
      return registration;
    },
    nextSteps: async (agentVersion, timestampSeconds, signal) => {
      if (bus) renewWhenDue(bus, signal);
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

export interface OpenTransportOptions {
  readonly settings: DiscoverySettings;
  readonly hostId: string;
  readonly timer: Timer;
  /** Absent: HTTP only, independently of the image. */
  readonly connectNats?: ConnectNats;
  /** Called with the reason when HTTP is used because the bus cannot be used. */
  readonly onFallback?: (reason: string) => void;
}

/** Opens the bus with HTTP as fallback when the image offers the bus, otherwise HTTP. */
export async function openTransport(options: OpenTransportOptions): Promise<Transport> {
  const { settings, hostId, timer, connectNats, onFallback } = options;
  const { infraEnvId, serviceUrl, token, caPem, isInsecure, proxy, nats } = settings;
  const http = createHttpTransport({ serviceUrl, infraEnvId, hostId, token, caPem, isInsecure, proxy, timer });
  if (!nats || !connectNats) return http;
  if (!nats.credentials) {
    const { url, caPem: busCaPem } = nats;
    const nowMs = (): number => performance.now();
    const bus = { url, caPem: busCaPem, nowMs, connectNats, createKey: createBusKey };
    return withBus(http, { ...bus, infraEnvId, hostId, timer, onFallback });
  }
  try {
    const inboxPrefix = nats.inboxPrefix ?? `_INBOX.${infraEnvId}.${hostId}`;
    const requests = await connectNats({ ...nats, inboxPrefix, name: `agent ${hostId}` });
    return withFallback(createNatsTransport({ requests, infraEnvId, hostId, timer }), http);
  } catch (error) {
    onFallback?.(errorMessage(error));
    return http;
  }
}
