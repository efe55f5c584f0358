import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@muster/testing';
import { selfSigned } from '@muster/testing/registry';
import { readConfig } from './config';

describe('the settings of the ignition service', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  it('have defaults for one machine without authentication', () => {
    expect(readConfig({})).toMatchObject({
      serviceBaseUrl: 'http://127.0.0.1:8090',
      skipsCertificateVerification: false,
      authType: 'none',
      ecPrivateKey: undefined,
      agentNatsUrl: undefined,
      agentStartTimeoutMs: 600_000,
    });
  });

  it('offer the bus to agents at its address', () => {
    expect(readConfig({ AGENT_NATS_URL: 'nats://a' }).agentNatsUrl).toBe('nats://a');
  });

  it('add the root certificate of Red Hat only where it is requested, or the one in the given file', async () => {
    expect(readConfig({}).redHatCaPem).toBe('');
    const certificate = new X509Certificate(readConfig({ INSTALL_RH_CA: 'true' }).redHatCaPem);
    expect(certificate.subject).toContain('CN=Red Hat IT Root CA');
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(new Date(certificate.validTo).getUTCFullYear()).toBe(2055);
    const { certPem } = await selfSigned();
    writeFileSync(join(directory.path, 'ca.pem'), certPem);
    const own = { INSTALL_RH_CA: 'true', RH_CA_PATH: join(directory.path, 'ca.pem') };
    expect(readConfig(own).redHatCaPem).toBe(certPem);
  });

  it.each<[string, Record<string, string>]>([
    ['SERVICE_CA_CERT_PATH', {}],
    ['RH_CA_PATH', { INSTALL_RH_CA: 'true' }],
    ['MIRROR_REGISTRIES_CA_PATH', { MIRROR_REGISTRIES_CONF_PATH: join(directory.path, 'registries.conf') }],
  ])('refuse a file of %s that is missing or has no certificate', (name, others) => {
    writeFileSync(join(directory.path, 'registries.conf'), '[[registry]]\nlocation = "quay.io"\n');
    expect(() => readConfig({ ...others, [name]: '/nowhere/ca.crt' })).toThrow(
      `Setting ${name}="/nowhere/ca.crt" is not valid. Expected: the path of a file that can be read.`,
    );
    expect(() => readConfig({ ...others, [name]: __filename })).toThrow(
      /Expected: a file of PEM certificates, but it contains no PEM block of type CERTIFICATE\.$/,
    );
  });

  it('end the reason of a setting with one full stop', () => {
    expect(() => readConfig({ MIRROR_REGISTRIES_CONF_PATH: '/dev/null' })).toThrow(/\[\[registry\]\]\.$/);
  });

  it.each(['ftp://x', 'x', 'http://a b', 'http://x"'])('refuse %j as the address of the service', (url) => {
    expect(() => readConfig({ SERVICE_BASE_URL: url })).toThrow(/SERVICE_BASE_URL/);
  });

  it('refuse a key of another type without showing it', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(() => readConfig({ EC_PRIVATE_KEY_PEM: pem })).toThrow(/EC_PRIVATE_KEY_PEM="\(not shown\)"/);
  });
});
