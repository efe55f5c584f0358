import { Client } from 'minio';
import { explainFailure, parseMinioUrl } from './object-store';

describe('parseMinioUrl', () => {
  it('reads every part', () => {
    expect(parseMinioUrl('http://a%2Fkey:s%40cret@store.example:9000/bucket')).toEqual({
      endPoint: 'store.example',
      port: 9000,
      useSSL: false,
      accessKey: 'a/key',
      secretKey: 's@cret',
      bucket: 'bucket',
    });
    expect(parseMinioUrl('https://k:s@store.example/bucket/')).toMatchObject({
      port: 443,
      useSSL: true,
      bucket: 'bucket',
    });
    expect(parseMinioUrl('http://k:s@store.example/bucket')).toMatchObject({ port: 80 });
  });

  it('reads an IPv6 address in the form that the client accepts', () => {
    const { bucket: _, ...location } = parseMinioUrl('http://k:s@[fd00::5]:9000/bucket');
    expect(location).toMatchObject({ endPoint: 'fd00::5', port: 9000 });
    expect(() => new Client(location)).not.toThrow();
  });

  it.each([
    '',
    'store',
    'ftp://k:hidden@h/b',
    'http://h/b',
    'http://k@h/b',
    'http://k:hidden@h/',
    'http://k:hidden@h/a/b',
  ])('refuses %j without repeating the secret', (text) => {
    expect(() => parseMinioUrl(text)).toThrow(/not of the form/);
    expect(() => parseMinioUrl(text)).not.toThrow(/hidden/);
  });
});

describe('explainFailure', () => {
  const failure = (code: string) => explainFailure(Object.assign(new Error('text'), { code }), 'S3 at store:9000');

  it.each([
    // The issuer of the certificate is not trusted, and the server sends no certificate of it.
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'SELF_SIGNED_CERT_IN_CHAIN',
    // The server does not use TLS.
    'EPROTO',
    // The bucket was removed after the start.
    'NoSuchBucket',
  ])('converts %s to a refusal of the server', (code) => {
    expect(failure(code)).toMatchObject({ server: 'S3 at store:9000', isRefused: true, isOutcomeUnknown: false });
  });

  it('converts a connection with TLS that breaks to an unknown outcome', () => {
    expect(failure('ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC')).toMatchObject({ isRefused: false, isOutcomeUnknown: true });
  });

  it.each(['NoSuchKey', 'EntityTooLarge', 'XMinioStorageFull'])('leaves %s, which is about the request', (code) => {
    expect(failure(code)).toBeUndefined();
  });
});
