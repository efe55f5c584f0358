import { gzipSync } from 'node:zlib';
import { BadDiscoveryIgnition, readDiscoverySettings } from './discovery-settings';

const UNIT = `[Unit]
Description=agent
[Service]
Type=simple
Environment=HTTP_PROXY=http://user:p%%40ss@proxy:3128
Environment="PULL_SECRET_TOKEN=abc.def%%2B=="
ExecStartPre=podman run --privileged --rm -v /usr/local/bin:/hostbin quay.io/agent:1 cp /usr/bin/agent /hostbin
ExecStart=/usr/local/bin/agent --url https://muster.example:8090 --infra-env-id 0b5e6f0e-6f4b-4f0e-9a55-4a8f3a5b8f10 \\
  --agent-version quay.io/agent:1 --insecure=true  --cacert /etc/ca.crt
`;
const dataUrl = (text: string): string =>
  `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString('base64')}`;
const ignitionWith = (unit: string, files: readonly { path: string; contents: object }[] = []): string =>
  JSON.stringify({
    ignition: { version: '3.1.0' },
    storage: { files },
    systemd: { units: [{ name: 'other.service' }, { name: 'agent.service', enabled: true, contents: unit }] },
  });

describe('a discovery Ignition config', () => {
  it('contains the settings of the agent', () => {
    const files = [{ path: '/etc/ca.crt', contents: { source: dataUrl('PEM') } }];
    expect(readDiscoverySettings(ignitionWith(UNIT, files))).toEqual({
      serviceUrl: 'https://muster.example:8090',
      infraEnvId: '0b5e6f0e-6f4b-4f0e-9a55-4a8f3a5b8f10',
      agentVersion: 'quay.io/agent:1',
      token: 'abc.def%2B==',
      isInsecure: true,
      caPem: 'PEM',
      caPath: '/etc/ca.crt',
    });
  });

  it.each([
    ['base64', { source: dataUrl('{"nats":{"url":"nats://n:4222","credentials":"creds"}}') }],
    [
      'percent signs',
      { source: 'data:,%7B%22nats%22%3A%7B%22url%22:%22nats://n:4222%22,%22credentials%22:%22creds%22%7D%7D' },
    ],
    [
      'gzip',
      {
        compression: 'gzip',
        source: `data:;base64,${gzipSync('{"nats":{"url":"nats://n:4222","credentials":"creds"}}').toString('base64')}`,
      },
    ],
  ])('contains the bus access in a file written with %s', (_, contents) => {
    const settings = readDiscoverySettings(ignitionWith(UNIT, [{ path: '/etc/muster/agent.json', contents }]));
    expect(settings.nats).toMatchObject({ url: 'nats://n:4222', credentials: 'creds' });
  });

  it('has an empty token when it contains none', () => {
    expect(readDiscoverySettings(ignitionWith(UNIT.replace(/^Environment="PULL.*$/m, ''))).token).toBe('');
  });

  it('verifies certificates with --insecure=false', () => {
    expect(readDiscoverySettings(ignitionWith(UNIT.replace('=true', '=false'))).isInsecure).toBe(false);
  });

  it.each([
    ['the config must be a JSON document', 'nonsense'],
    ['it has no unit agent.service', '{"systemd":{"units":[]}}'],
    ['lacks --url', ignitionWith(UNIT.replace('--url https://muster.example:8090', ''))],
    [
      'agent.json cannot be used: the file must be a JSON document',
      ignitionWith(UNIT, [{ path: '/etc/muster/agent.json', contents: { source: 'data:,no' } }]),
    ],
  ])('is refused with the reason that %s', (reason, text) => {
    expect(() => readDiscoverySettings(text)).toThrow(BadDiscoveryIgnition);
    expect(() => readDiscoverySettings(text)).toThrow(reason);
  });
});
