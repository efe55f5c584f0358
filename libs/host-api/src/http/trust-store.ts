import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

/** Bundles of the system's trusted authorities: CoreOS and RHEL, Debian, openSUSE. */
const SYSTEM_BUNDLES = [
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/certs/ca-certificates.crt',
  '/var/lib/ca-certificates/ca-bundle.pem',
];

/**
 * Returns the authorities (PEM) that a TLS client trusts: those of Node, those of the system, and `caPem`. SSL_CERT_FILE
 * names another bundle of the system.
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
      // The next distribution's place is tried.
    }
  }
  return undefined;
}
