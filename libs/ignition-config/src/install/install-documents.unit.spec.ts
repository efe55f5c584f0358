import { renderBootstrapIgnition } from '../bootstrap/render-bootstrap-ignition';
import { machineConfigs } from '../cluster-manifests/cluster-manifests';
import { viewOf } from '../cluster-manifests/manifests-input';
import { fromDataUrl, readTextFile } from '../config/ignition-file';
import { renderInstallConfig } from '../install-config/render-install-config';
import { hostNodeConfig, roleNodeConfig } from './node-files';
import { emptyIgnition, pointTo, renderJoiningIgnition, renderPointerIgnition } from './render-pointer-ignition';
import { sampleBootstrap, sampleInstallConfig } from './sample-install.fixture.spec';

describe('pointer Ignition config', () => {
  const pointer = { apiHost: 'api-int.demo.example.com', pool: 'worker', rootCaPem: 'ROOT CA' };

  it('refers the machine to the machine-config server of its cluster and contains its certificate authority', () => {
    const { ignition } = renderPointerIgnition(pointer);
    expect(ignition.version).toBe('3.2.0');
    expect(ignition.config?.merge).toEqual([{ source: 'https://api-int.demo.example.com:22623/config/worker' }]);
    expect(fromDataUrl(ignition.security?.tls?.certificateAuthorities?.[0]?.source ?? '')).toBe('ROOT CA');
  });

  it('of a role contains nothing specific to a host', () => {
    expect(renderPointerIgnition(pointer).storage).toBeUndefined();
  });

  it('can be changed to another pool', () => {
    const infra = pointTo(renderPointerIgnition(pointer), 'infra');
    expect(infra).toEqual(renderPointerIgnition({ ...pointer, pool: 'infra' }));
    expect(pointTo(emptyIgnition(), 'infra')).toEqual(emptyIgnition());
  });
});

describe('additions for one host', () => {
  const host = { hostname: 'worker-0', nodeIpHint: '', isPersistentBoot: false };
  const role = { serviceCaPem: '', hasIpv6: false, openshiftVersion: '4.18.1' };

  it('contain its name and the network of its kubelet', () => {
    const config = hostNodeConfig({ ...host, nodeIpHint: '192.0.2.0' });
    expect(readTextFile(config, '/etc/hostname')).toBe('worker-0');
    expect(readTextFile(config, '/etc/default/nodeip-configuration')).toBe('KUBELET_NODEIP_HINT=192.0.2.0\n');
    expect(config.systemd).toBeUndefined();
  });

  it('remove the discovery system when it is on the installation disk', () => {
    const config = hostNodeConfig({ ...host, isPersistentBoot: true });
    expect(readTextFile(config, '/usr/local/bin/cleanup-assisted-discovery-stateroot.sh')).toContain(
      '#!/usr/bin/env bash',
    );
    expect(config.systemd?.units).toMatchObject([
      { name: 'cleanup-assisted-discovery-stateroot.service', enabled: true },
    ]);
  });

  it('for its role are empty in most clusters', () => {
    expect(roleNodeConfig(role)).toEqual(emptyIgnition());
  });

  it.each([
    ['4.18.1', false],
    ['4.10.0', false],
    ['4.9.3', true],
  ])('keep its IPv6 address, with profiles where version %s reads them', (openshiftVersion, isElsewhere) => {
    const config = roleNodeConfig({ ...role, hasIpv6: true, openshiftVersion });
    const settings = readTextFile(config, '/etc/NetworkManager/conf.d/01-ipv6.conf');
    expect(settings).toContain('ipv6.dhcp-duid=ll');
    expect(settings?.includes('system-connections-merged')).toBe(isElsewhere);
  });

  it('contain the certificate authority of the service', () => {
    const config = roleNodeConfig({ ...role, serviceCaPem: 'CA' });
    expect(readTextFile(config, '/etc/assisted-service/service-ca-cert.crt')).toBe('CA');
  });
});

describe('config of a host that joins a running cluster', () => {
  const joining = { endpoint: 'http://api.x.y:22624/config', pool: 'worker', caPem: '', token: '', headers: {} };

  it('refers to its pool, without a certificate authority when there is none', () => {
    expect(renderJoiningIgnition(joining)).toEqual({
      ignition: { version: '3.2.0', config: { merge: [{ source: 'http://api.x.y:22624/config/worker' }] } },
    });
  });

  it('contains each header once, because Ignition refuses a repeated one: the token takes precedence', () => {
    const headers = { authorization: 'Basic YQ==', Authorization: 'Basic Yg==', 'X-A': '1' };
    const { ignition } = renderJoiningIgnition({ ...joining, token: 't', headers });
    expect(ignition.config?.merge?.[0]?.httpHeaders).toEqual([
      { name: 'X-A', value: '1' },
      { name: 'Authorization', value: 'Bearer t' },
    ]);
    const withoutToken = renderJoiningIgnition({ ...joining, headers: { Authorization: 'Basic YQ==' } });
    expect(withoutToken.ignition.config?.merge?.[0]?.httpHeaders).toEqual([
      { name: 'Authorization', value: 'Basic YQ==' },
    ]);
  });

  it('contains the credentials for the endpoint', () => {
    const { ignition } = renderJoiningIgnition({ ...joining, caPem: 'CA', token: 't', headers: { 'X-A': '1' } });
    expect(ignition.config?.merge?.[0]?.httpHeaders).toEqual([
      { name: 'X-A', value: '1' },
      { name: 'Authorization', value: 'Bearer t' },
    ]);
    expect(fromDataUrl(ignition.security?.tls?.certificateAuthorities?.[0]?.source ?? '')).toBe('CA');
  });
});

describe('SSH keys of the nodes', () => {
  it('are listed once and without comments, because Ignition refuses repeated keys', () => {
    const sshKey = ' ssh-ed25519 A\r\n# mine\n\nssh-ed25519 B\nssh-ed25519 A\n';
    const users = [{ name: 'core', sshAuthorizedKeys: ['ssh-ed25519 A', 'ssh-ed25519 B'] }];
    expect(renderBootstrapIgnition(sampleBootstrap({ sshAuthorizedKey: sshKey })).passwd?.users).toEqual(users);
    const config = viewOf(renderInstallConfig(sampleInstallConfig({ sshPublicKey: sshKey })));
    expect(JSON.parse(machineConfigs(config)[0]?.content ?? '')).toMatchObject({
      metadata: { name: '99-master-ssh' },
      spec: { config: { passwd: { users } } },
    });
  });
});

describe('bootstrap Ignition config', () => {
  const namesOf = (changes = {}) =>
    renderBootstrapIgnition(sampleBootstrap(changes)).systemd?.units?.map(({ name }) => name);

  it('contains the units that the installer starts in their order, and enables none', () => {
    const units = renderBootstrapIgnition(sampleBootstrap()).systemd?.units ?? [];
    expect(units.map(({ name }) => name)).toEqual([
      'release-image.service',
      'node-image-pull.service',
      'node-image-overlay.service',
      'node-image-finish.service',
      'crio-configure.service',
      'kubelet.service',
      'bootkube.service',
      'approve-csr.service',
      'progress.service',
      'node-image-overlay.target',
    ]);
    expect(units.some(({ enabled }) => enabled)).toBe(false);
  });

  it('mounts the node image only for versions whose live system may lack the node programs', () => {
    expect(namesOf({ openshiftVersion: '4.16.9' })?.join()).not.toContain('node-image');
    expect(namesOf({ isOkd: true })?.join()).not.toContain('node-image');
    expect(namesOf({ isOkd: true })).toContain('release-image-pivot.service');
  });

  it('contains the files of the cluster in the folder of the bootstrap stages', () => {
    const config = renderBootstrapIgnition(sampleBootstrap());
    expect(readTextFile(config, '/root/.docker/config.json')).toBe(sampleBootstrap().pullSecret);
    expect(readTextFile(config, '/opt/openshift/auth/kubeconfig')).toBe('KUBECONFIG');
    expect(readTextFile(config, '/opt/openshift/tls/root-ca.crt')).toBe('ROOT CA');
    expect(readTextFile(config, '/opt/openshift/openshift/a.yaml')).toBe('{}');
  });

  it.each(['multi-node', 'single-node'] as const)(
    'of a %s cluster executes the stages in order, each with a marker file',
    (kind) => {
      const config = renderBootstrapIgnition(sampleBootstrap({ isSingleNode: kind === 'single-node' }));
      const script = readTextFile(config, '/usr/local/bin/bootkube.sh') ?? '';
      const marks = [...script.matchAll(/^ {2}ends (\S+)$/gm)].map(([, name]) => name);
      expect(marks).toEqual([
        'openshift-manifests',
        'cvo-bootstrap',
        'etcd-bootstrap',
        'config-bootstrap',
        'kube-apiserver-bootstrap',
        'kube-controller-manager-bootstrap',
        'kube-scheduler-bootstrap',
        'ingress-operator-bootstrap',
        'mco-bootstrap',
        'cco-bootstrap',
        'wait-for-etcd',
        'cb-bootstrap',
        ...(kind === 'single-node' ? ['bootstrap-in-place'] : ['mco-bootstrap-removal', 'wait-for-ceo']),
      ]);
    },
  );

  it.each([
    [false, ''],
    [true, undefined],
  ])('of a single node (%s) has the same markers', (isSingleNode, marker) => {
    const config = renderBootstrapIgnition(sampleBootstrap({ isSingleNode }));
    expect(readTextFile(config, '/opt/openshift/assisted-install-bootstrap')).toBe(marker);
  });

  it('quotes image references so that they cannot become commands', () => {
    const config = renderBootstrapIgnition(sampleBootstrap({ releaseImage: "x'; reboot '" }));
    expect(readTextFile(config, '/usr/local/bin/release-image-download.sh')).toContain(
      String.raw`'x'\''; reboot '\'''`,
    );
  });
});
