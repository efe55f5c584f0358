import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
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

/** A certificate with its key. A secret. */
export interface KeyPairPem {
  readonly certificatePem: string;
  readonly privateKeyPem: string;
}

/** What a new cluster trusts and is trusted by. */
export interface ClusterPki {
  readonly rootCa: KeyPairPem;
  /** Client certificate of the administrator. */
  readonly admin: KeyPairPem;
  /** Server certificate of the API, by all its names and addresses. */
  readonly apiServer: KeyPairPem;
}

export interface PkiInput {
  /** `<cluster>.<base domain>` */
  readonly domain: string;
  /** VIPs of the API. */
  readonly addresses: readonly string[];
  /** ISO 8601. */
  readonly startedAt: string;
}

const KEY = { name: 'ECDSA', namedCurve: 'P-256' };
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' };
const SERIAL_BYTES = 16;
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const CA_AND_ADMIN_YEARS = 10;
const SERVER_YEARS = 1;
const PKCS8 = 'PRIVATE KEY';

cryptoProvider.set(webcrypto as typeof globalThis.crypto);

/** Makes keys: never the same twice. Certificates count from an hour before `startedAt`, as clocks of new hosts may be behind. */
export async function createClusterPki(input: PkiInput): Promise<ClusterPki> {
  const rootKeys = await newKeys();
  const subject = 'CN=root-ca, OU=openshift';
  const rootCertificate = await X509CertificateGenerator.create({
    ...validity(input, CA_AND_ADMIN_YEARS),
    subject,
    issuer: subject,
    publicKey: rootKeys.publicKey,
    signingKey: rootKeys.privateKey,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(rootKeys.publicKey),
    ],
  });
  const issue = async (name: string, years: number, extensions: readonly Extension[]): Promise<KeyPairPem> => {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.create({
      ...validity(input, years),
      subject: name,
      issuer: rootCertificate.subject,
      publicKey: keys.publicKey,
      signingKey: rootKeys.privateKey,
      signingAlgorithm: SIGNATURE,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
        await AuthorityKeyIdentifierExtension.create(rootKeys.publicKey),
        ...extensions,
      ],
    });
    return toPem(certificate, keys);
  };
  return {
    rootCa: await toPem(rootCertificate, rootKeys),
    admin: await issue('O=system:masters, CN=system:admin', CA_AND_ADMIN_YEARS, [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
    ]),
    apiServer: await issue('O=kube-master, CN=kube-apiserver', SERVER_YEARS, [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(serverNames(input)),
    ]),
  };
}

function serverNames({ domain, addresses }: PkiInput): { readonly type: 'dns' | 'ip'; readonly value: string }[] {
  const names = [`api.${domain}`, `api-int.${domain}`, 'localhost'];
  return [
    ...names.map((value) => ({ type: 'dns' as const, value })),
    ...['127.0.0.1', '::1', ...addresses].map((value) => ({ type: 'ip' as const, value })),
  ];
}

function validity({ startedAt }: PkiInput, years: number) {
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
