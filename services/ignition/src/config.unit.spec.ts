import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readConfig } from './config';

describe('the settings of the ignition service', () => {
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

  it('add the root certificate of Red Hat only where it is requested, or the one in the given file', () => {
    expect(readConfig({}).redHatCaPem).toBe('');
    const certificate = new X509Certificate(readConfig({ INSTALL_RH_CA: 'true' }).redHatCaPem);
    expect(certificate.subject).toContain('CN=Red Hat IT Root CA');
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(new Date(certificate.validTo).getUTCFullYear()).toBe(2055);
    expect(readConfig({ INSTALL_RH_CA: 'true', RH_CA_PATH: __filename }).redHatCaPem).toContain('RH_CA_PATH');
    expect(() => readConfig({ INSTALL_RH_CA: 'true', RH_CA_PATH: '/nowhere/ca.crt' })).toThrow(
      /RH_CA_PATH.*a PEM file that can be read/,
    );
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
