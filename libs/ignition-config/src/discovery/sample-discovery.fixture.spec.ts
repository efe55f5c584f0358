import type { DiscoveryInput } from './discovery-input';

/** An infra-env without optional settings. Tests add the settings that they test. */
export const sampleDiscovery = (changes: Partial<DiscoveryInput> = {}): DiscoveryInput => ({
  infraEnvId: '6f1c8a7e-51b0-4f0a-9d4e-3c6f6d1c2b3a',
  service: { url: 'http://192.0.2.1:8090', skipsCertificateVerification: false, caPem: '', token: 'a-token' },
  agent: { image: 'quay.io/muster/agent:latest', startTimeoutSeconds: 600 },
  pullSecret: '{"auths":{"quay.io":{"auth":"c2VjcmV0"}}}',
  sshAuthorizedKeys: 'ssh-ed25519 AAAA user@example.com',
  proxy: { httpProxy: '', httpsProxy: '', noProxy: '' },
  ntp: { sources: '', additionalSources: '' },
  additionalTrustBundle: '',
  redHatCaPem: '',
  ...changes,
});
