import { X509Certificate } from 'node:crypto';
import { RefusalError } from '@muster/problems';

const BUNDLE_BYTES_MAX = 256 * 1024;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** One or more certificates as PEM, nothing else of the text kept. Throws RefusalError (400) when there is none or one is broken. */
export function parseCertificateBundle(bundle: Buffer): string {
  const refuse = (reason: string): RefusalError =>
    new RefusalError({
      code: 'invalid-input',
      reason: `The ingress certificate cannot be used: ${reason}`,
      subject: 'ingress_cert_params',
    });
  if (bundle.length > BUNDLE_BYTES_MAX)
    throw refuse(`it has ${bundle.length} bytes, and at most ${BUNDLE_BYTES_MAX} are taken.`);
  const blocks = bundle.toString('latin1').match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw refuse('it holds no PEM block of type CERTIFICATE.');
  blocks.forEach((block, index) => {
    try {
      new X509Certificate(block);
    } catch {
      throw refuse(`certificate ${index + 1} of ${blocks.length} cannot be read.`);
    }
  });
  return blocks.map((block) => `${block}\n`).join('');
}
