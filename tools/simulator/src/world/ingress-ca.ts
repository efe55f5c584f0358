import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension, X509CertificateGenerator } from '@peculiar/x509';

const VALID_MS = 2 * 365 * 24 * 60 * 60_000;

/** A certificate authority as a cluster's ingress operator makes one for itself; PEM, without its key. */
export async function createIngressCa(nowMs: number): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=ingress-operator@${Math.floor(nowMs / 1000)}`,
      notBefore: new Date(nowMs),
      notAfter: new Date(nowMs + VALID_MS),
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyCertSign, true),
      ],
    },
    webcrypto as never,
  );
  return `${certificate.toString('pem')}\n`;
}
