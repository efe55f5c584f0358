import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** Keys without a certificate. */
export interface SigningKeysPem {
  readonly publicKeyPem: string;
  readonly privateKeyPem: string;
}

const MODULUS_BITS = 2_048;
const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const;
const generate = promisify(generateKeyPair);

/** Tokens that leave the cluster are checked by clouds, which expect RSA: by far the slowest key of an installation. */
export async function createRsaKeys(): Promise<SigningKeysPem> {
  const options = { modulusLength: MODULUS_BITS, publicKeyEncoding, privateKeyEncoding };
  const { publicKey, privateKey } = await generate('rsa', options);
  return { publicKeyPem: publicKey, privateKeyPem: privateKey };
}

/** For tokens that only the cluster's own API checks. */
export async function createEcKeys(): Promise<SigningKeysPem> {
  const { publicKey, privateKey } = await generate('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding,
    privateKeyEncoding,
  });
  return { publicKeyPem: publicKey, privateKeyPem: privateKey };
}
