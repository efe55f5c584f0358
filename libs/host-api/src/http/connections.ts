import { readFileSync } from 'node:fs';
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, rootCertificates } from 'node:tls';
import type { SendHttp } from '@muster/ports';
import { urlHost } from '@muster/schema';
import { bareHostname, basicAuthorization, proxyOf, type ProxySettings } from './proxy';

/** Bundles of the system's certificate authorities: CoreOS and RHEL, Debian, openSUSE. */
const SYSTEM_BUNDLES = [
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/certs/ca-certificates.crt',
  '/var/lib/ca-certificates/ca-bundle.pem',
];

/**
 * Returns the certificate authorities (PEM) that a TLS client trusts: those of Node, those of the system, and `caPem`.
 * SSL_CERT_FILE selects another bundle of the system.
 */
export function trustedAuthorities(
  caPem: string | undefined,
  systemBundle: string | undefined = readSystemBundle(),
): readonly string[] {
  return [...rootCertificates, ...(systemBundle ? [systemBundle] : []), ...(caPem ? [caPem] : [])];
}

function readSystemBundle(): string | undefined {
  const own = process.env['SSL_CERT_FILE'];
  for (const path of [...(own ? [own] : []), ...SYSTEM_BUNDLES]) {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      // Try the path of the next distribution.
    }
  }
  return undefined;
}

export interface ConnectionOptions {
  /** Certificate authorities (PEM) in addition to those of Node and of the system. */
  readonly caPem?: string;
  /** Client certificate and its key (PEM). */
  readonly clientCertificate?: { readonly certPem: string; readonly keyPem: string };
  readonly isInsecure?: boolean;
  readonly proxy?: ProxySettings;
  /**
   * Longest time without a byte of the server, in milliseconds. Only for `createSendHttp`.
   * @default 60,000
   */
  readonly silenceMsMax?: number;
}

/** How requests to one origin are sent: the connecting agent and its request options. */
export interface Connections {
  readonly agent: HttpAgent | HttpsAgent;
  /** Whether requests are sent with TLS, to the origin or to its proxy. */
  readonly isTls: boolean;
  /** Returns the request options for `url`. Through a proxy without a tunnel, the request line contains the whole URL. */
  requestOptions(url: URL): RequestOptions;
  close(): void;
}

const CONNECT_TIMEOUT_MS = 30_000;
/**
 * Longest wait for one address of a server with several, in milliseconds. The default of Node, 250 ms, is shorter than the
 * round trip over a satellite: each connection to a server with addresses of both families would fail.
 */
const ADDRESS_MS_MAX = 3_000;
const CONNECTING = { autoSelectFamilyAttemptTimeout: ADDRESS_MS_MAX };

/** @throws Error when the proxy for `origin` is not a URL */
export function createConnections(origin: URL, options: ConnectionOptions): Connections {
  const proxy = proxyOf(origin, options.proxy);
  const isTunnel = proxy !== undefined && origin.protocol === 'https:';
  const isTls = origin.protocol === 'https:' || proxy?.protocol === 'https:';
  const trust = isTls && { rejectUnauthorized: !options.isInsecure, ca: [...trustedAuthorities(options.caPem)] };
  const tls = {
    ...CONNECTING,
    keepAlive: true,
    ...trust,
    ...(options.clientCertificate && {
      cert: options.clientCertificate.certPem,
      key: options.clientCertificate.keyPem,
    }),
  };
  const agent = !isTls
    ? new HttpAgent({ ...CONNECTING, keepAlive: true })
    : isTunnel
      ? new TunnelAgent(proxy, { ...CONNECTING, ...addressOf(proxy), ...trust }, tls)
      : new HttpsAgent(tls);
  return {
    agent,
    isTls,
    requestOptions: (url) => {
      const direct = {
        protocol: url.protocol,
        hostname: bareHostname(url.hostname),
        port: url.port || undefined,
        path: url.pathname + url.search,
      };
      if (isTunnel || !proxy) return direct;
      const authorization = basicAuthorization(proxy);
      return {
        ...addressOf(proxy),
        path: url.href,
        headers: { host: url.host, ...(authorization && { 'proxy-authorization': authorization }) },
      };
    },
    close: () => agent.destroy(),
  };
}

/** A proxy with TLS has a certificate for its own name. Without `servername`, the name of the origin would be expected. */
function addressOf(proxy: URL): RequestOptions {
  const hostname = bareHostname(proxy.hostname);
  const isTls = proxy.protocol === 'https:';
  return {
    protocol: isTls ? 'https:' : 'http:',
    hostname,
    port: proxy.port || undefined,
    ...(isTls && { servername: isIP(hostname) ? '' : hostname }),
  };
}

/** Connects through a proxy with CONNECT, then uses TLS with the origin. */
class TunnelAgent extends HttpsAgent {
  constructor(
    private readonly proxy: URL,
    private readonly toProxy: RequestOptions,
    private readonly tls: ConstructorParameters<typeof HttpsAgent>[0],
  ) {
    super(tls);
  }

  override createConnection(
    target: RequestOptions,
    onSocket?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const host = target.host ?? '';
    const fail = (error: Error): void => onSocket?.(error, new Duplex());
    const authority = `${urlHost(host)}:${target.port ?? 443}`;
    const authorization = basicAuthorization(this.proxy);
    const tunnel = (this.toProxy.protocol === 'https:' ? httpsRequest : httpRequest)({
      ...this.toProxy,
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
      // TLS allows no address as server name. The certificate is compared with `host`.
      const servername = target.servername || (isIP(host) ? '' : host);
      const secure = connectTls({ ...this.tls, socket, host, servername });
      onSocket?.(null, secure);
    });
    tunnel.once('timeout', () => tunnel.destroy(new Error(`the proxy ${this.proxy.host} did not answer in time`)));
    tunnel.once('error', fail);
    tunnel.end();
  }
}

const DEFAULT_SILENCE_MS_MAX = 60_000;

/** Sends requests to any origin with the configured certificate authorities and proxies. Redirects are not followed. */
export function createSendHttp(options: ConnectionOptions): { readonly send: SendHttp; close(): void } {
  const byOrigin = new Map<string, Connections>();
  const silenceMs = options.silenceMsMax ?? DEFAULT_SILENCE_MS_MAX;
  const connectionsTo = (url: URL): Connections => {
    const known = byOrigin.get(url.origin) ?? createConnections(url, options);
    byOrigin.set(url.origin, known);
    return known;
  };
  return {
    send: async ({ headers, method, url: address }, signal) => {
      const url = new URL(address);
      const connections = connectionsTo(url);
      const { headers: ofProxy, ...target } = connections.requestOptions(url);
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const request = (connections.isTls ? httpsRequest : httpRequest)(
          {
            ...target,
            method,
            headers: { ...ofProxy, ...headers },
            agent: connections.agent,
            signal,
            timeout: silenceMs,
          },
          (answer) => {
            request.off('timeout', endRequest);
            request.once('timeout', () =>
              answer.destroy(new Error(`the server sent no more data for ${silenceMs / 1_000} s`)),
            );
            resolve(answer);
          },
        );
        const endRequest = (): void => void request.destroy(new Error(`no answer within ${silenceMs / 1_000} s`));
        request.once('timeout', endRequest);
        request.once('error', reject);
        request.end();
      });
      const texts = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const);
      return { status: answer.statusCode ?? 0, headers: Object.fromEntries(texts), body: answer };
    },
    close: () => byOrigin.forEach((connections) => connections.close()),
  };
}
