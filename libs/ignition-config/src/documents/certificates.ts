import { X509Certificate } from 'node:crypto';

/** A block without its end is a block too. Text outside of the blocks, such as comments, does not count. */
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*(?:-----END \1-----)?/g;
const CERTIFICATE = /^-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----$/;

const blocksIn = (text: string): readonly string[] => text.match(BLOCK) ?? [];

/** Returns the PEM blocks of the certificates in a text, without the text around them. The blocks are not read. */
export const splitCertificates = (text: string): readonly string[] =>
  blocksIn(text).filter((block) => CERTIFICATE.test(block));

/**
 * Returns why a text is not a list of PEM certificates. Undefined when it is one. A text of 1 MiB may take 0.5 s:
 * read texts of users in a worker.
 */
export function certificatesFault(text: string): string | undefined {
  const blocks = blocksIn(text);
  if (blocks.length === 0) return 'it contains no PEM block of type CERTIFICATE.';
  const unreadable = blocks.findIndex((block) => !isCertificate(block));
  return unreadable < 0
    ? undefined
    : `PEM block ${unreadable + 1} of ${blocks.length} cannot be read as a certificate.`;
}

function isCertificate(block: string): boolean {
  if (!CERTIFICATE.test(block)) return false;
  try {
    return Boolean(new X509Certificate(block));
  } catch {
    return false;
  }
}
