import { spawnSync } from 'node:child_process';
import { renderBootstrapIgnition } from './bootstrap/render-bootstrap-ignition';
import { type IgnitionConfig, toIgnitionJson } from './config/ignition-config';
import { renderDiscoveryIgnition } from './discovery/render-discovery-ignition';
import { sampleDiscovery } from './discovery/sample-discovery.fixture.spec';
import { hostNodeConfig, roleNodeConfig } from './install/node-files';
import { emptyIgnition, renderPointerIgnition } from './install/render-pointer-ignition';
import { sampleBootstrap } from './install/sample-install.fixture.spec';
import { parseIgnitionOverride } from './merge/ignition-override';
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
  [
    'a discovery config with many exceptions of the proxy',
    renderDiscoveryIgnition({
      ...everything,
      proxy: {
        httpProxy: 'http://p:1',
        httpsProxy: '',
        noProxy: Array.from({ length: 1_000 }, (_, i) => `h${i}.lan`).join(),
      },
    }),
  ],
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

const SOURCES = [
  '',
  'data:,',
  'data:,a%20b',
  'data:,a b',
  'data:,%zz',
  'data:,a%0',
  'data:,é',
  'data:,{}',
  'data:,a#b',
  'data:nonsense',
  'data:plain,x',
  'data:foo/bar,x',
  'data:text/,x',
  'data:x-a/b,x',
  'data:application/octet-stream,x',
  'data:text/plain;charset=utf-8,%E2%9C%93',
  'data:text/plain; charset=utf-8,x',
  'data:text/plain;a="b c",x',
  'data:;charset=%zz,x',
  'data:;base64,',
  'data:;base64,aGVsbG8=',
  'data:;base64,aGVsbG9=',
  'data:;base64,aGVsbG8',
  'data:;base64,aGVsbG8%3D',
  'data:;base64,aGVs\nbG8=',
  'data:;base64,@@@@',
  'data:;base64,====',
  'data:;base64,aA==aGVs',
  'data:;BASE64,aGVsbG8=',
  'data:;base64;a=b,aGVs',
  'data:text/plain;charset=utf-8;base64,aGVsbG8=',
  'DATA:,x',
];
const FILESYSTEMS = [
  {},
  { path: '' },
  { path: '/var' },
  { label: 'a' },
  { uuid: 'a' },
  { wipeFilesystem: true },
  { wipeFilesystem: false, options: [] },
  { options: ['a'] },
  { path: '/var', format: '' },
  { path: '/var', format: 'xfs' },
];
const REQUIRED = { ignition: { version: '3.2.0' } };
const withSource = (source: string) => ({
  ...REQUIRED,
  storage: { files: [{ path: '/a', contents: { source }, append: [{ source }, {}] }] },
});
/** Overrides that may be valid or not. */
const OVERRIDES = [
  ...SOURCES.map(withSource),
  ...FILESYSTEMS.map((entry) => ({ ...REQUIRED, storage: { filesystems: [{ device: '/dev/sda', ...entry }] } })),
  ...['', 'data:,'].map((source) => ({ ignition: { version: '3.2.0', config: { merge: [{ source }] } } })),
  ...['', 'data:,'].map((source) => ({ ignition: { version: '3.2.0', config: { replace: { source } } } })),
];

whenPresent(`ignition-validate${missing}`, () => {
  it.each(CONFIGS)('accepts %s', (_, config) => {
    const { status, stderr } = spawnSync('ignition-validate', ['-'], {
      input: toIgnitionJson(config),
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it.each(OVERRIDES)('and the check of overrides agree on %j', (config) => {
    const input = JSON.stringify(config);
    const { status } = spawnSync('ignition-validate', ['-'], { input });
    expect(parseIgnitionOverride(input, 'override').kind).toBe(status === 0 ? 'parsed' : 'refused');
  });

  it('refuses an invalid config', () => {
    const { status } = spawnSync('ignition-validate', ['-'], {
      input: '{"ignition":{"version":"3.1.0"},"storage":{"files":[{}]}}',
    });
    expect(status).not.toBe(0);
  });
});
