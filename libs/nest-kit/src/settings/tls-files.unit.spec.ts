import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@muster/testing';
import { selfSigned } from '@muster/testing/registry';
import { readTlsFiles } from './derived-settings';
import { SettingsReader } from './settings-reader';

describe('the files of a TLS endpoint', () => {
  const directory = temporaryDirectory();
  const pathOf = (name: string): string => join(directory.path, name);
  beforeAll(async () => {
    const [own, other] = [await selfSigned(), await selfSigned()];
    const files = { 'key.pem': own.keyPem, 'cert.pem': own.certPem, 'other.pem': other.certPem, 'empty.pem': '' };
    for (const [name, text] of Object.entries(files)) writeFileSync(pathOf(name), text);
  });
  afterAll(() => directory.remove());

  const read = (key: string, cert: string) => {
    const settings = new SettingsReader({ HTTPS_KEY_FILE: pathOf(key), HTTPS_CERT_FILE: pathOf(cert) });
    return { tls: readTlsFiles(settings), problems: settings.problems };
  };

  it('are a key and its certificate', () => {
    expect(read('key.pem', 'cert.pem')).toEqual({
      tls: { key: expect.stringContaining('PRIVATE KEY'), cert: expect.stringContaining('CERTIFICATE') },
      problems: [],
    });
  });

  it.each([
    ['cert.pem', 'cert.pem', /HTTPS_KEY_FILE=.*a PEM file with a private key/],
    ['empty.pem', 'cert.pem', /HTTPS_KEY_FILE=.*a PEM file with a private key/],
    ['key.pem', 'empty.pem', /HTTPS_CERT_FILE=.*a PEM file with a certificate/],
    ['key.pem', 'key.pem', /HTTPS_CERT_FILE=.*a PEM file with a certificate/],
    ['key.pem', 'other.pem', /HTTPS_CERT_FILE=.*the certificate of the key in HTTPS_KEY_FILE/],
  ])('are rejected when they are %s and %s', (key, cert, problem) => {
    expect(read(key, cert)).toEqual({ tls: undefined, problems: [expect.stringMatching(problem)] });
  });
});
