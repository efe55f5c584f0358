import { renderBootstrapIgnition } from '../bootstrap/render-bootstrap-ignition';
import { fromDataUrl, readTextFile } from '../config/ignition-file';
import { hostNodeConfig, roleNodeConfig } from './node-files';
import { emptyIgnition, pointTo, renderJoiningIgnition, renderPointerIgnition } from './render-pointer-ignition';
import { sampleBootstrap } from './sample-install.fixture.spec';

describe('The pointer ignition', () => {
  const pointer = { apiHost: 'api-int.demo.example.com', pool: 'worker', rootCaPem: 'ROOT CA' };

  it('sends the machine to the machine-config-server of its cluster and makes it trust that one', () => {
    const { ignition } = renderPointerIgnition(pointer);
    expect(ignition.version).toBe('3.2.0');
    expect(ignition.config?.merge).toEqual([{ source: 'https://api-int.demo.example.com:22623/config/worker' }]);
    expect(fromDataUrl(ignition.security?.tls?.certificateAuthorities?.[0]?.source ?? '')).toBe('ROOT CA');
  });

  it('of a role says nothing about a host', () => {
    expect(renderPointerIgnition(pointer).storage).toBeUndefined();
  });

  it('leads to another pool, and nowhere else', () => {
    const infra = pointTo(renderPointerIgnition(pointer), 'infra');
    expect(infra).toEqual(renderPointerIgnition({ ...pointer, pool: 'infra' }));
    expect(pointTo(emptyIgnition(), 'infra')).toEqual(emptyIgnition());
  });
});

describe('What is added for one host', () => {
  const host = { hostname: 'worker-0', nodeIpHint: '', isPersistentBoot: false };
  const role = { serviceCaPem: '', hasIpv6: false, openshiftVersion: '4.18.1' };

  it('names it and says where its kubelet is to listen', () => {
    const config = hostNodeConfig({ ...host, nodeIpHint: '192.0.2.0' });
    expect(readTextFile(config, '/etc/hostname')).toBe('worker-0');
    expect(readTextFile(config, '/etc/default/nodeip-configuration')).toBe('KUBELET_NODEIP_HINT=192.0.2.0\n');
    expect(config.systemd).toBeUndefined();
  });

  it('removes the system that it discovered itself from, if that is on its disk', () => {
    const config = hostNodeConfig({ ...host, isPersistentBoot: true });
    expect(readTextFile(config, '/usr/local/bin/cleanup-assisted-discovery-stateroot.sh')).toContain(
      '#!/usr/bin/env bash',
    );
    expect(config.systemd?.units).toMatchObject([
      { name: 'cleanup-assisted-discovery-stateroot.service', enabled: true },
    ]);
  });

  it('because of its role is nothing in most clusters', () => {
    expect(roleNodeConfig(role)).toEqual(emptyIgnition());
  });

  it.each([
    ['4.18.1', false],
    ['4.9.3', true],
  ])('keeps its IPv6 address, with profiles where version %s has them', (openshiftVersion, isElsewhere) => {
    const config = roleNodeConfig({ ...role, hasIpv6: true, openshiftVersion });
    const settings = readTextFile(config, '/etc/NetworkManager/conf.d/01-ipv6.conf');
    expect(settings).toContain('ipv6.dhcp-duid=ll');
    expect(settings?.includes('system-connections-merged')).toBe(isElsewhere);
  });

  it('lets it trust the service', () => {
    const config = roleNodeConfig({ ...role, serviceCaPem: 'CA' });
    expect(readTextFile(config, '/etc/assisted-service/service-ca-cert.crt')).toBe('CA');
  });
});

describe('The config of a host that joins a running cluster', () => {
  const joining = { endpoint: 'http://api.x.y:22624/config', pool: 'worker', caPem: '', token: '', headers: {} };

  it('refers to its pool, without certificate authority when there is none', () => {
    expect(renderJoiningIgnition(joining)).toEqual({
      ignition: { version: '3.2.0', config: { merge: [{ source: 'http://api.x.y:22624/config/worker' }] } },
    });
  });

  it('brings what the endpoint asks for', () => {
    const { ignition } = renderJoiningIgnition({ ...joining, caPem: 'CA', token: 't', headers: { 'X-A': '1' } });
    expect(ignition.config?.merge?.[0]?.httpHeaders).toEqual([
      { name: 'X-A', value: '1' },
      { name: 'Authorization', value: 'Bearer t' },
    ]);
    expect(fromDataUrl(ignition.security?.tls?.certificateAuthorities?.[0]?.source ?? '')).toBe('CA');
  });
});

describe('The bootstrap ignition', () => {
  const namesOf = (changes = {}) =>
    renderBootstrapIgnition(sampleBootstrap(changes)).systemd?.units?.map(({ name }) => name);

  it('has the units that the installer starts in the order in which they come to run, and starts none itself', () => {
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

  it('brings the programs of nodes only to versions whose live system has none', () => {
    expect(namesOf({ openshiftVersion: '4.16.9' })?.join()).not.toContain('node-image');
    expect(namesOf({ isOkd: true })?.join()).not.toContain('node-image');
    expect(namesOf({ isOkd: true })).toContain('release-image-pivot.service');
  });

  it('lays everything about the cluster where the stages look for it', () => {
    const config = renderBootstrapIgnition(sampleBootstrap());
    expect(readTextFile(config, '/root/.docker/config.json')).toBe(sampleBootstrap().pullSecret);
    expect(readTextFile(config, '/opt/openshift/auth/kubeconfig')).toBe('KUBECONFIG');
    expect(readTextFile(config, '/opt/openshift/tls/root-ca.crt')).toBe('ROOT CA');
    expect(readTextFile(config, '/opt/openshift/openshift/a.yaml')).toBe('{}');
  });

  it.each(['multi-node', 'single-node'] as const)(
    'of a %s cluster goes through the stages in order, each with its mark',
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
  ])('of a single node (%s) has the marker of the others', (isSingleNode, marker) => {
    const config = renderBootstrapIgnition(sampleBootstrap({ isSingleNode }));
    expect(readTextFile(config, '/opt/openshift/assisted-install-bootstrap')).toBe(marker);
  });

  it('lets no image reference become a command', () => {
    const config = renderBootstrapIgnition(sampleBootstrap({ releaseImage: "x'; reboot '" }));
    expect(readTextFile(config, '/usr/local/bin/release-image-download.sh')).toContain(
      String.raw`'x'\''; reboot '\'''`,
    );
  });
});
