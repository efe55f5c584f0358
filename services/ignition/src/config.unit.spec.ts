import { generateKeyPairSync } from 'node:crypto';
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
    expect(() => readConfig({ INSTALL_RH_CA: 'true', RH_CA_PATH: '/nowhere/ca.crt' })).toThrow(
      /RH_CA_PATH.*INSTALL_RH_CA=true needs it/,
    );
    expect(readConfig({ AGENT_NATS_URL: 'nats://a' }).agentNatsUrl).toBe('nats://a');
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
