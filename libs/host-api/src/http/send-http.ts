import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { SendHttp } from '@muster/ports';
import { type ConnectionOptions, type Connections, createConnections } from './connections';

const ANSWER_TIMEOUT_MS = 60_000;

/** Sends requests to any origin with the certificate authorities and proxies of a site. Redirects are not followed. */
export function createSendHttp(options: ConnectionOptions): { readonly send: SendHttp; close(): void } {
  const byOrigin = new Map<string, Connections>();
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
            timeout: ANSWER_TIMEOUT_MS,
          },
          resolve,
        );
        request.once('timeout', () => request.destroy(new Error(`no answer within ${ANSWER_TIMEOUT_MS} ms`)));
        request.once('error', reject);
        request.end();
      });
      const texts = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const);
      return { status: answer.statusCode ?? 0, headers: Object.fromEntries(texts), body: answer };
    },
    close: () => byOrigin.forEach((connections) => connections.close()),
  };
}
