import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** Keys without a certificate. */
export interface SigningKeysPem {
  readonly publicKeyPem: string;
  readonly privateKeyPem: string;
}

/** Tokens of service accounts are checked by programs outside of the cluster too, which expect RSA. */
const MODULUS_BITS = 2_048;

export async function createServiceAccountKeys(): Promise<SigningKeysPem> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: MODULUS_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  return { publicKeyPem: publicKey, privateKeyPem: privateKey };
}
