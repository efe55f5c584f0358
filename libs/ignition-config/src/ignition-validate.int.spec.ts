import { spawnSync } from 'node:child_process';
import { renderBootstrapIgnition } from './bootstrap/render-bootstrap-ignition';
import { type IgnitionConfig, toIgnitionJson } from './config/ignition-config';
import { renderDiscoveryIgnition } from './discovery/render-discovery-ignition';
import { sampleDiscovery } from './discovery/sample-discovery.fixture.spec';
import { hostNodeConfig, roleNodeConfig } from './install/node-files';
import { emptyIgnition, renderPointerIgnition } from './install/render-pointer-ignition';
import { sampleBootstrap } from './install/sample-install.fixture.spec';
import { mergeIgnition } from './merge/merge-ignition';

const isInstalled = spawnSync('ignition-validate', ['--version']).error === undefined;
const missing = isInstalled ? '' : ' (skipped: the Debian package ignition is not installed)';
const whenPresent = isInstalled ? describe : describe.skip;

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const everything = sampleDiscovery({
  proxy: { httpProxy: 'http://p:1', httpsProxy: 'http://p:1', noProxy: '.corp.lan, 10.0.0.0/8,.corp.lan' },
  ntp: { sources: 'a', additionalSources: '' },
  nats: { url: 'nats://x:4222', credentials: 'c', inboxPrefix: '_INBOX.x' },
  additionalTrustBundle: PEM,
  registries: { registriesConf: '[[registry]]\nlocation = "quay.io"\n', caPem: PEM, takesUnsigned: true },
  staticNetwork: {
    form: 'nmpolicy',
    delaySeconds: 5,
    hosts: [
      { mapping: [{ mac: '02:00:00:00:00:01', name: 'eth0' }], files: [{ fileName: 'p.yml', content: 'a: 1\n' }] },
    ],
  },
});
const override = {
  ignition: { version: '3.2.0' },
  passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['ssh-rsa A', 'ssh-rsa A'] }] },
  storage: { files: [{ path: '/etc/x', contents: { source: 'data:,y' } }] },
};

const CONFIGS: readonly (readonly [string, IgnitionConfig])[] = [
  ['the discovery config without optional settings', renderDiscoveryIgnition(sampleDiscovery())],
  ['the discovery config with all settings', renderDiscoveryIgnition(everything)],
  ['a discovery config of OKD', renderDiscoveryIgnition({ ...everything, okd: { packagesImage: 'quay.io/okd/rpms' } })],
  ['a discovery config with an override', mergeIgnition(renderDiscoveryIgnition(everything), override)],
  [
    'the config of a host',
    mergeIgnition(
      mergeIgnition(
        renderPointerIgnition({ apiHost: 'api-int.x.y', pool: 'master', rootCaPem: PEM }),
        roleNodeConfig({ serviceCaPem: PEM, hasIpv6: true, openshiftVersion: '4.9' }),
      ),
      hostNodeConfig({ hostname: 'm', nodeIpHint: '192.0.2.0', isPersistentBoot: true }),
    ),
  ],
  ['the config of a single node', emptyIgnition()],
  [
    'a bootstrap config',
    renderBootstrapIgnition(
      sampleBootstrap({ additionalTrustBundle: PEM, sshAuthorizedKey: 'ssh-rsa A\nssh-rsa A\n' }),
    ),
  ],
  ['a bootstrap config of OKD', renderBootstrapIgnition(sampleBootstrap({ isOkd: true }))],
  ['a bootstrap config of a single node', renderBootstrapIgnition(sampleBootstrap({ isSingleNode: true }))],
];

whenPresent(`ignition-validate${missing}`, () => {
  it.each(CONFIGS)('accepts %s', (_, config) => {
    const { status, stderr } = spawnSync('ignition-validate', ['-'], {
      input: toIgnitionJson(config),
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('refuses an invalid config', () => {
    const { status } = spawnSync('ignition-validate', ['-'], {
      input: '{"ignition":{"version":"3.1.0"},"storage":{"files":[{}]}}',
    });
    expect(status).not.toBe(0);
  });
});
