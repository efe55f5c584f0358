import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { get } from 'node:https';
import * as x509 from '@peculiar/x509';
import 'reflect-metadata';
import { createFastifyServer } from './fastify-server';
import { RouteTable } from './routes';

async function selfSigned(): Promise<{ key: string; cert: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  x509.cryptoProvider.set(webcrypto as typeof globalThis.crypto);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=localhost',
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }])],
    keys,
    signingAlgorithm: algorithm,
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const pem = `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`;
  return { key: pem, cert: certificate.toString('pem') };
}

describe('the REST server with TLS files', () => {
  it('serves HTTPS with the configured certificate', async () => {
    const tls = await selfSigned();
    const server = createFastifyServer(new RouteTable(), undefined, tls).getInstance();
    server.get('/health', () => 'fine');
    const address = await server.listen({ host: 'localhost', port: 0 });
    try {
      const { port } = new URL(address);
      const status = await new Promise((resolve, reject) => {
        get({ host: 'localhost', port, path: '/health', ca: tls.cert }, ({ statusCode }) => resolve(statusCode)).on(
          'error',
          reject,
        );
      });
      expect(status).toBe(200);
      expect(address).toMatch(/^https:/);
    } finally {
      await server.close();
    }
  });
});
