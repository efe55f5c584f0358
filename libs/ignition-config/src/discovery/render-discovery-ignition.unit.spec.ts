import { type IgnitionConfig, toIgnitionJson } from '../config/ignition-config';
import { readTextFile } from '../config/ignition-file';
import { parseAgentFile } from './discovery-input';
import { renderDiscoveryIgnition } from './render-discovery-ignition';
import { sampleDiscovery } from './sample-discovery.fixture.spec';

const unitOf = (config: IgnitionConfig, name: string): string =>
  config.systemd?.units?.find((unit) => unit.name === name)?.contents ?? '';
const linesOf = (config: IgnitionConfig, start: string): readonly string[] =>
  unitOf(config, 'agent.service')
    .split('\n')
    .filter((line) => line.startsWith(start));
const pathsOf = (config: IgnitionConfig): readonly string[] => config.storage?.files?.map(({ path }) => path) ?? [];

describe('discovery Ignition config', () => {
  it('starts the agent with the flags of assisted-installer-agent', () => {
    expect(linesOf(renderDiscoveryIgnition(sampleDiscovery()), 'ExecStart=')).toEqual([
      'ExecStart=/usr/local/bin/agent --url http://192.0.2.1:8090 --infra-env-id 6f1c8a7e-51b0-4f0a-9d4e-3c6f6d1c2b3a' +
        ' --agent-version quay.io/muster/agent:latest --insecure=false',
    ]);
  });

  it('contains the certificate authority of the service and its path', () => {
    const { service } = sampleDiscovery();
    const config = renderDiscoveryIgnition(
      sampleDiscovery({ service: { ...service, caPem: 'PEM', skipsCertificateVerification: true } }),
    );
    expect(linesOf(config, 'ExecStart=')[0]).toMatch(
      / --insecure=true --cacert \/etc\/assisted-service\/service-ca-cert\.crt$/,
    );
    expect(readTextFile(config, '/etc/assisted-service/service-ca-cert.crt')).toBe('PEM');
  });

  it('passes the token in the environment, and omits the line without a token', () => {
    const { service } = sampleDiscovery();
    const without = renderDiscoveryIgnition(sampleDiscovery({ service: { ...service, token: '' } }));
    expect(linesOf(renderDiscoveryIgnition(sampleDiscovery()), 'Environment=')).toEqual([
      'Environment="PULL_SECRET_TOKEN=a-token"',
    ]);
    expect(linesOf(without, 'Environment=')).toEqual([]);
  });

  it('restarts the agent without limit and sets the start timeout', () => {
    const unit = unitOf(renderDiscoveryIgnition(sampleDiscovery()), 'agent.service');
    expect(unit).toMatch(/^Restart=always$/m);
    expect(unit).toMatch(/^RestartSec=3$/m);
    expect(unit).toMatch(/^TimeoutStartSec=600$/m);
  });

  it('lists an exception of the proxy once, because Ignition refuses repeated entries', () => {
    const proxy = { httpProxy: 'http://proxy:3128', httpsProxy: '', noProxy: '.corp.lan, 10.0.0.0/8,.corp.lan' };
    const { ignition } = renderDiscoveryIgnition(sampleDiscovery({ proxy }));
    expect(ignition.proxy?.noProxy).toEqual(['.corp.lan', '10.0.0.0/8']);
  });

  it('configures the proxy of the agent, of shells and of Ignition', () => {
    const config = renderDiscoveryIgnition(
      sampleDiscovery({ proxy: { httpProxy: 'http://u:p%40@proxy:3128', httpsProxy: '', noProxy: 'a.example, .b' } }),
    );
    expect(linesOf(config, 'Environment="HTTP')).toEqual(['Environment="HTTP_PROXY=http://u:p%%40@proxy:3128"']);
    expect(readTextFile(config, '/etc/profile.d/proxy.sh')).toBe(
      "export HTTP_PROXY='http://u:p%40@proxy:3128'\nexport http_proxy='http://u:p%40@proxy:3128'\n" +
        "export NO_PROXY='a.example, .b'\nexport no_proxy='a.example, .b'\n",
    );
    expect(config.ignition.proxy).toEqual({ httpProxy: 'http://u:p%40@proxy:3128', noProxy: ['a.example', '.b'] });
  });

  it('divides a long list of proxy exceptions, because Ignition refuses a unit with a line above 2,048 bytes', () => {
    const hosts = Array.from({ length: 400 }, (_, index) => `host-${index}.example.com`);
    const proxy = { httpProxy: 'http://proxy:3128', httpsProxy: '', noProxy: hosts.join(',') };
    const config = renderDiscoveryIgnition(sampleDiscovery({ proxy }));
    const unit = config.systemd?.units?.find(({ name }) => name === 'agent.service')?.contents ?? '';
    for (const line of unit.split('\n')) expect(Buffer.byteLength(line)).toBeLessThan(2_048);
    // systemd replaces a backslash and the line break after it by a blank.
    const [, list = ''] = /^Environment="NO_PROXY=([^"]*)"$/m.exec(unit.replaceAll('\\\n', ' ')) ?? [];
    expect(list.split(',').map((host) => host.trim())).toEqual(hosts);
  });

  it('omits proxy exceptions without a proxy', () => {
    const config = renderDiscoveryIgnition(sampleDiscovery({ proxy: { httpProxy: '', httpsProxy: '', noProxy: 'a' } }));
    expect(config.ignition).toEqual({ version: '3.1.0' });
    expect(pathsOf(config)).not.toContain('/etc/profile.d/proxy.sh');
  });

  it('escapes values so that they cannot begin a line of the unit', () => {
    const proxy = { httpProxy: 'http://x"\nExecStart=/bin/evil', httpsProxy: '', noProxy: '' };
    expect(linesOf(renderDiscoveryIgnition(sampleDiscovery({ proxy })), 'ExecStart=')).toHaveLength(1);
  });

  it('quotes NTP sources so that they cannot become commands', () => {
    const ntp = { sources: '', additionalSources: "a.example,'; reboot; '" };
    const script = readTextFile(renderDiscoveryIgnition(sampleDiscovery({ ntp })), '/usr/local/bin/add-ntp-sources.sh');
    expect(script).toContain(String.raw`'server '\'';reboot;'\'' iburst'`);
  });

  it.each([
    ['replaces the sources of the image by the given ones', { sources: 'a,b', additionalSources: 'c' }, />\/etc/, 'c'],
    ['adds further sources', { sources: '', additionalSources: 'a,b' }, />>\/etc/, 'sourcedir'],
  ])('%s', (_, ntp, redirect, absent) => {
    const config = renderDiscoveryIgnition(sampleDiscovery({ ntp }));
    const script = readTextFile(config, '/usr/local/bin/add-ntp-sources.sh');
    expect(script).toMatch(redirect);
    expect(script).toContain("'server a iburst' 'server b iburst'");
    expect(script).toContain("'makestep 1.0 -1'");
    expect(script).not.toContain(`server ${absent} iburst`);
    expect(unitOf(config, 'add-ntp-sources.service')).toMatch(/^Before=chronyd\.service$/m);
  });

  it('contains the bus endpoint for agents of Muster when it is set', () => {
    const nats = { url: 'nats://192.0.2.1:4222', credentials: 'CREDS', inboxPrefix: '_INBOX.x' };
    const config = renderDiscoveryIgnition(sampleDiscovery({ nats }));
    expect(parseAgentFile(readTextFile(config, '/etc/muster/agent.json') ?? '')).toEqual({ nats });
    expect(pathsOf(renderDiscoveryIgnition(sampleDiscovery()))).not.toContain('/etc/muster/agent.json');
  });

  it('starts the executable of the service without a container', () => {
    const executable = { baseUrl: 'http://192.0.2.1:8888/host-binaries', sha256: { x86_64: 'ab', aarch64: 'cd' } };
    const agent = { image: 'muster-host:1', executable, startTimeoutSeconds: 600 };
    const config = renderDiscoveryIgnition(sampleDiscovery({ agent }));
    const unit = unitOf(config, 'agent.service');
    expect(unit).toMatch(/^ExecStart=\/usr\/local\/bin\/muster-host agent --url .* --agent-version muster-host:1 /m);
    expect(unit).not.toContain('podman');
    expect(unit).toContain('TimeoutStartSec=infinity');
    const script = readTextFile(config, '/usr/local/bin/muster-host-download');
    expect(script).toContain('  x86_64) digest=ab ;;\n  aarch64) digest=cd ;;');
    expect(script).toContain("url='http://192.0.2.1:8888/host-binaries/'$architecture?sha256=$digest");
    expect(parseAgentFile(readTextFile(config, '/etc/muster/agent.json') ?? '')).toEqual({ executable });
    expect(pathsOf(config)).not.toContain('/usr/local/bin/agent-pull-image');
  });

  it('makes files with secrets readable by root only', () => {
    const config = renderDiscoveryIgnition(sampleDiscovery({ nats: { url: 'nats://x', credentials: 'CREDS' } }));
    const modes = new Map(config.storage?.files?.map(({ path, mode }) => [path, mode]));
    expect(modes.get('/root/.docker/config.json')).toBe(384);
    expect(modes.get('/etc/muster/agent.json')).toBe(384);
    expect(modes.get('/usr/local/bin/agent-pull-image')).toBe(493);
  });

  it('copies the agent from the pulled image and enables multipath for disks with a WWN', () => {
    const config = renderDiscoveryIgnition(sampleDiscovery());
    expect(unitOf(config, 'agent.service')).toMatch(/^ExecStartPre=\/usr\/bin\/podman run --pull=never --privileged /m);
    expect(readTextFile(config, '/etc/multipath.conf')).toContain('property "(SCSI_IDENT_|ID_WWN)"');
  });

  it('permits login with keys only, each key once', () => {
    const config = renderDiscoveryIgnition(
      sampleDiscovery({ sshAuthorizedKeys: 'ssh-rsa A\n\n# mine\nssh-rsa B \nssh-rsa A' }),
    );
    expect(config.passwd?.users).toEqual([
      { name: 'core', groups: ['sudo'], passwordHash: '!', sshAuthorizedKeys: ['ssh-rsa A', 'ssh-rsa B'] },
    ]);
  });

  it('encodes text of any script without a change', () => {
    const pem = 'Zertifikat für Köln 名 🙂\n'.repeat(2_000);
    const config = renderDiscoveryIgnition(sampleDiscovery({ additionalTrustBundle: pem }));
    expect(readTextFile(config, '/etc/pki/ca-trust/source/anchors/assisted-infraenv-additional-trust-bundle.pem')).toBe(
      pem,
    );
  });

  it('is equal for equal input with members in another order', () => {
    const input = sampleDiscovery();
    const reversed = Object.fromEntries(Object.entries(input).reverse()) as unknown as typeof input;
    expect(toIgnitionJson(renderDiscoveryIgnition(reversed))).toBe(toIgnitionJson(renderDiscoveryIgnition(input)));
  });

  it('permits no login without a key', () => {
    expect(renderDiscoveryIgnition(sampleDiscovery({ sshAuthorizedKeys: '\n# none\n' })).passwd?.users).toEqual([]);
  });

  it('contains units for network disks and clouds', () => {
    const config = renderDiscoveryIgnition(sampleDiscovery());
    expect(unitOf(config, 'iscsistart.service')).toContain('ExecStart=-/usr/sbin/iscsistart -b');
    expect(unitOf(config, 'selinux.service')).toContain('/root/assisted.te');
    expect(unitOf(config, 'oci-eval-user-data.service')).toContain('/usr/local/bin/oci-eval-user-data.sh');
    expect(pathsOf(config)).toEqual(
      expect.arrayContaining(['/root/assisted.te', '/usr/local/bin/oci-eval-user-data.sh', '/etc/multipath.conf']),
    );
  });

  it('configures mirrors, and accepts unsigned images only when it is set', () => {
    const registries = { registriesConf: '[[registry]]\n', caPem: 'PEM', takesUnsigned: false };
    const config = renderDiscoveryIgnition(sampleDiscovery({ registries }));
    expect(readTextFile(config, '/etc/containers/registries.conf')).toBe('[[registry]]\n');
    expect(readTextFile(config, '/etc/pki/ca-trust/source/anchors/domain.crt')).toBe('PEM');
    expect(pathsOf(config)).not.toContain('/etc/containers/policy.json');
    const unsigned = renderDiscoveryIgnition(sampleDiscovery({ registries: { ...registries, takesUnsigned: true } }));
    expect(readTextFile(unsigned, '/etc/containers/policy.json')).toContain('insecureAcceptAnything');
    const without = renderDiscoveryIgnition(sampleDiscovery({ registries: { ...registries, registriesConf: '' } }));
    expect(pathsOf(without)).not.toContain('/etc/pki/ca-trust/source/anchors/domain.crt');
  });

  it('installs the packages of OKD, which its live system does not contain', () => {
    const config = renderDiscoveryIgnition(sampleDiscovery({ okd: { packagesImage: "quay.io/okd/rpms'" } }));
    expect(readTextFile(config, '/usr/local/bin/okd-binaries.sh')).toContain(String.raw`image='quay.io/okd/rpms'\'''`);
    const names = config.systemd?.units?.map(({ name }) => name) ?? [];
    expect(names).toEqual(expect.arrayContaining(['okd-overlay.service', 'systemd-journal-gatewayd.socket']));
    expect(names).not.toContain('oci-eval-user-data.service');
    expect(new Set(names).size).toBe(names.length);
    expect(config.systemd?.units?.find(({ name }) => name === 'agent.service')?.dropins?.[0]?.contents).toContain(
      'After=okd-overlay.service',
    );
    expect(pathsOf(config)).not.toContain('/etc/multipath.conf');
    expect(names).not.toContain('multipathd.service');
    expect(names).not.toContain('iscsistart.service');
  });

  it('trusts the certificate authority of Red Hat only where it was requested', () => {
    const path = '/etc/pki/ca-trust/source/anchors/rh-it-root-ca.crt';
    expect(pathsOf(renderDiscoveryIgnition(sampleDiscovery()))).not.toContain(path);
    expect(readTextFile(renderDiscoveryIgnition(sampleDiscovery({ redHatCaPem: 'PEM' })), path)).toBe('PEM');
  });
});
