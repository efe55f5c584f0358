import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import type * as X509 from '@peculiar/x509';

/** Files of the TLS endpoint of the bus. */
export interface BusTlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** The certificate authority (PEM) that clients must trust. */
  readonly caFile: string;
}

/** Loaded here, because only the process that starts the bus needs its 200 modules. */
const loadX509 = async (): Promise<typeof X509> => {
  await import('reflect-metadata');
  return import('@peculiar/x509');
};

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const LIFETIME_MS = 10 * 365 * 86_400_000;
/**
 * The clocks of hosts may differ until they reach an NTP server, and that of this machine may be set back. The authority would then not be
 * valid for years.
 */
const VALID_FROM = new Date(0);

/**
 * Creates a certificate for the bus in the directory. Its certificate authority is created once and kept, because
 * discovery images contain it. The certificate is created at each call, for the given names and IP addresses.
 */
export const makeBusCertificate = async (
  directory: string,
  options: { readonly hosts: readonly string[]; readonly nowMs: number },
): Promise<BusTlsFiles> => {
  const x509 = await loadX509();
  x509.cryptoProvider.set(webcrypto as typeof globalThis.crypto);
  const pathOf = (name: string): string => join(directory, name);
  const [caFile, caKeyFile] = [pathOf('bus-ca.pem'), pathOf('bus-ca.key')];
  const [certFile, keyFile] = [pathOf('bus.pem'), pathOf('bus.key')];
  const validity = {
    notBefore: VALID_FROM,
    notAfter: new Date(options.nowMs + LIFETIME_MS),
  };
  const kept = await readAuthority(x509, caFile, caKeyFile, options.nowMs);
  const authority = kept ?? (await makeAuthority(x509, validity));
  if (!kept) {
    // Without its certificate, a key is replaced, so an interruption leaves no certificate with the key of another.
    await rm(caFile, { force: true });
    await writeDurably(caKeyFile, authority.keyPem);
    await writeDurably(caFile, authority.certificate.toString('pem'));
  }

  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=muster bus',
    issuer: authority.certificate.subject,
    publicKey: keys.publicKey,
    signingKey: authority.key,
    signingAlgorithm: ALGORITHM,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.SubjectAlternativeNameExtension(
        [...new Set(options.hosts)].map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const),
      ),
    ],
  });
  await writeSecret(keyFile, await toPem(keys.privateKey));
  await writeSecret(certFile, certificate.toString('pem'));
  return { certFile, keyFile, caFile };
};

interface Authority {
  readonly certificate: X509.X509Certificate;
  readonly key: webcrypto.CryptoKey;
  readonly keyPem: string;
}

async function makeAuthority(
  x509: typeof X509,
  validity: { readonly notBefore: Date; readonly notAfter: Date },
): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=muster bus CA',
    keys,
    signingAlgorithm: ALGORITHM,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  return { certificate, key: keys.privateKey, keyPem: await toPem(keys.privateKey) };
}

/**
 * Returns undefined when there is none, or when it has less than half of its lifetime left.
 * @throws Error when a file is damaged: the discovery images trust the authority, so it must not be replaced
 */
async function readAuthority(
  x509: typeof X509,
  caFile: string,
  keyFile: string,
  nowMs: number,
): Promise<Authority | undefined> {
  const [pem, keyPem] = await Promise.all([caFile, keyFile].map(readIfPresent));
  if (pem === undefined || keyPem === undefined) return undefined;
  try {
    const read = new X509Certificate(pem);
    if (!read.checkPrivateKey(createPrivateKey(keyPem))) throw new Error('The key belongs to another certificate.');
    if (Date.parse(read.validTo) - nowMs < LIFETIME_MS / 2) return undefined;
    const der = Buffer.from(keyPem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
    const key = await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign']);
    return { certificate: new x509.X509Certificate(pem), key, keyPem };
  } catch {
    // The reason may contain a part of the key.
    throw new Error(
      `${caFile} and ${keyFile} are not the certificate authority of the bus and its key: one of them is damaged or was replaced. Restore both from the same backup. Or remove both for a new authority, which agents of earlier discovery images do not trust.`,
    );
  }
}

/** Undefined when there is no such file. */
const readIfPresent = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });

const toPem = async (key: webcrypto.CryptoKey): Promise<string> => {
  const lines =
    Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key))
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
};

const writeSecret = (file: string, text: string): Promise<void> => writeFile(file, text, { mode: 0o600 });

/** Writes the file so that an interruption leaves no part of it in its place. */
async function writeDurably(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`;
  await writeFile(temporary, text, { mode: 0o600, flush: true });
  await rename(temporary, file);
  const directory = await open(dirname(file), 'r');
  await directory.sync().finally(() => directory.close());
}
