import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { proxyAuthorization, proxyOf, type ProxySettings } from './proxy';
import { trustedAuthorities } from './trust-store';

export interface ConnectionOptions {
  /** Certificate authorities (PEM) besides those of Node and of the system. */
  readonly caPem?: string;
  /** Client certificate and its key (PEM). */
  readonly clientCertificate?: { readonly certPem: string; readonly keyPem: string };
  readonly isInsecure?: boolean;
  readonly proxy?: ProxySettings;
}

/** How requests to one origin are sent: the agent that connects, and what its request options need. */
export interface Connections {
  readonly agent: HttpAgent | HttpsAgent;
  readonly isTls: boolean;
  /** Request options for `url`: through a plain proxy the request line carries the whole URL. */
  requestOptions(url: URL): RequestOptions;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 30_000;

/** Throws when the proxy that applies to `origin` is not a URL. */
export function createConnections(origin: URL, options: ConnectionOptions): Connections {
  const proxy = proxyOf(origin, options.proxy);
  const isTls = origin.protocol === 'https:';
  const tls = isTls && {
    rejectUnauthorized: !options.isInsecure,
    ca: [...trustedAuthorities(options.caPem)],
    ...(options.clientCertificate && {
      cert: options.clientCertificate.certPem,
      key: options.clientCertificate.keyPem,
    }),
  };
  const agent = !isTls
    ? new HttpAgent({ keepAlive: true })
    : proxy
      ? new TunnelAgent(proxy, { keepAlive: true, ...tls })
      : new HttpsAgent({ keepAlive: true, ...tls });
  return {
    agent,
    isTls,
    requestOptions: (url) => {
      const direct = {
        protocol: url.protocol,
        hostname: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port || undefined,
        path: url.pathname + url.search,
      };
      if (isTls || !proxy) return direct;
      const authorization = proxyAuthorization(proxy);
      return {
        protocol: 'http:',
        hostname: proxy.hostname,
        port: proxy.port || undefined,
        path: url.href,
        headers: { host: url.host, ...(authorization && { 'proxy-authorization': authorization }) },
      };
    },
    close: () => agent.destroy(),
  };
}

/** Connects through an HTTP proxy with CONNECT, then speaks TLS with the origin. */
class TunnelAgent extends HttpsAgent {
  constructor(
    private readonly proxy: URL,
    private readonly tls: ConstructorParameters<typeof HttpsAgent>[0],
  ) {
    super(tls);
  }

  override createConnection(
    target: RequestOptions & { readonly servername?: string },
    onSocket?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const host = target.host ?? '';
    const fail = (error: Error): void => onSocket?.(error, new Duplex());
    const authority = `${host.includes(':') ? `[${host}]` : host}:${target.port ?? 443}`;
    const authorization = proxyAuthorization(this.proxy);
    const tunnel = httpRequest({
      hostname: this.proxy.hostname,
      port: this.proxy.port || 80,
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(authorization && { 'proxy-authorization': authorization }) },
      timeout: CONNECT_TIMEOUT_MS,
      agent: false,
    });
    tunnel.once('connect', (answer, socket) => {
      if (answer.statusCode !== 200) {
        socket.destroy();
        return fail(new Error(`the proxy ${this.proxy.host} answered ${answer.statusCode} to CONNECT ${authority}`));
      }
      const secure = connectTls({ ...this.tls, socket, servername: target.servername || host });
      onSocket?.(null, secure);
    });
    tunnel.once('timeout', () => tunnel.destroy(new Error(`the proxy ${this.proxy.host} did not answer in time`)));
    tunnel.once('error', fail);
    tunnel.end();
  }
}
