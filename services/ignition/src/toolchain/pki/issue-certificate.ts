import 'reflect-metadata';
import { generateKeyPair, randomBytes, webcrypto } from 'node:crypto';
import { promisify } from 'node:util';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { AuthorityRow, CertificateRow, ServerName } from './certificates.table';

/** A certificate with its key. A secret. */
export interface KeyPairPem {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** A certificate authority in use. */
export interface Authority {
  readonly pem: KeyPairPem;
  readonly certificate: X509Certificate;
  readonly keys: webcrypto.CryptoKeyPair;
}

const KEY = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' };
const SERIAL_BYTES = 16;
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const PKCS8 = 'PRIVATE KEY';

cryptoProvider.set(globalThis.crypto);

export async function createAuthority({ subject, years }: AuthorityRow, startedAt: string): Promise<Authority> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.create({
    ...validity(startedAt, years),
    subject,
    issuer: subject,
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { pem: await toPem(certificate, keys), certificate, keys };
}

export async function issueCertificate(
  row: CertificateRow & { readonly names: readonly ServerName[] },
  authority: Authority,
  startedAt: string,
): Promise<KeyPairPem> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.create({
    ...validity(startedAt, row.years),
    subject: row.subject,
    issuer: authority.certificate.subject,
    publicKey: keys.publicKey,
    signingKey: authority.keys.privateKey,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(authority.keys.publicKey),
      ...usage(row),
    ],
  });
  return toPem(certificate, keys);
}

function usage({ isClient, server, names }: Parameters<typeof issueCertificate>[0]): readonly Extension[] {
  return [
    new ExtendedKeyUsageExtension([
      ...(isClient ? [ExtendedKeyUsage.clientAuth] : []),
      ...(server ? [ExtendedKeyUsage.serverAuth] : []),
    ]),
    ...(names.length > 0 ? [new SubjectAlternativeNameExtension([...names])] : []),
  ];
}

function validity(startedAt: string, years: number) {
  const startMs = Date.parse(startedAt) - HOUR_MS;
  // The first byte keeps the number positive.
  const serialNumber = `01${randomBytes(SERIAL_BYTES - 1).toString('hex')}`;
  return { serialNumber, notBefore: new Date(startMs), notAfter: new Date(startMs + years * YEAR_MS) };
}

const newKeys = (): Promise<webcrypto.CryptoKeyPair> => webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);

async function toPem(certificate: X509Certificate, { privateKey }: webcrypto.CryptoKeyPair): Promise<KeyPairPem> {
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', privateKey);
  return {
    certificatePem: `${certificate.toString('pem')}\n`,
    privateKeyPem: `${PemConverter.encode(pkcs8, PKCS8)}\n`,
  };
}

/** Keys without a certificate. */
export interface SigningKeysPem {
  readonly publicKeyPem: string;
  readonly privateKeyPem: string;
}

const MODULUS_BITS = 2_048;
const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
const privateKeyEncoding = { type: 'pkcs8', format: 'pem' } as const;
const generate = promisify(generateKeyPair);

/** Clouds verify tokens that leave the cluster and require RSA. This is the slowest key of an installation. */
export async function createRsaKeys(): Promise<SigningKeysPem> {
  const options = { modulusLength: MODULUS_BITS, publicKeyEncoding, privateKeyEncoding };
  const { publicKey, privateKey } = await generate('rsa', options);
  return { publicKeyPem: publicKey, privateKeyPem: privateKey };
}

/** For tokens that only the API of the cluster verifies. */
export async function createEcKeys(): Promise<SigningKeysPem> {
  const { publicKey, privateKey } = await generate('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding,
    privateKeyEncoding,
  });
  return { publicKeyPem: publicKey, privateKeyPem: privateKey };
}
