const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';
const BASE64 = /^[A-Za-z0-9+/=\s]+$/;

/** Returns the PEM blocks of a text that contains only certificates and blanks. Undefined for any other text. */
export function splitCertificates(text: string): readonly string[] | undefined {
  const blocks: string[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const end = rest.indexOf(END);
    if (!rest.startsWith(BEGIN) || end < 0 || !BASE64.test(rest.slice(BEGIN.length, end))) return undefined;
    blocks.push(rest.slice(0, end + END.length));
    rest = rest.slice(end + END.length).trimStart();
  }
  return blocks.length > 0 ? blocks : undefined;
}

export const isCertificateList = (text: string): boolean => splitCertificates(text) !== undefined;
