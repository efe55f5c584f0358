import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import * as x509 from '@peculiar/x509';

/** A key and a certificate that is its own authority (PEM), for these names. */
export async function createCertificate(...names: readonly string[]): Promise<{ key: string; cert: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  x509.cryptoProvider.set(webcrypto as typeof globalThis.crypto);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${names[0]}`,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: /^[0-9.]+$/.test(value) ? 'ip' : 'dns', value })),
      ),
    ],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return { key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`, cert: certificate.toString('pem') };
}

export interface SiteProxy {
  readonly url: string;
  /** `CONNECT <host>` or the requested URL, without ports, of each request. */
  readonly seen: string[];
  close(): Promise<void>;
}

/** The proxy of a site: it alone resolves names, and all of them are this machine. */
export async function startSiteProxy(): Promise<SiteProxy> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '');
    seen.push(url.href.replace(`:${url.port}/`, '/').replace(/\?.*/, ''));
    const path = url.pathname + url.search;
    httpRequest({ host: '127.0.0.1', port: url.port, path, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    }).end();
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request, socket) => {
    const [host, port] = (request.url ?? '').split(':');
    seen.push(`CONNECT ${host}`);
    const target = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
