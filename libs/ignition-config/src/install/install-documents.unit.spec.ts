import { fromDataUrl } from '../config/data-url';
import { readTextFile } from '../config/ignition-file';
import { renderBootstrapIgnition } from './render-bootstrap-ignition';
import { renderPointerIgnition } from './render-pointer-ignition';
import { sampleBootstrap } from './sample-install.fixture.spec';

describe('The pointer ignition', () => {
  const pointer = { apiHost: 'api-int.demo.example.com', pool: 'worker', rootCaPem: 'ROOT CA' };

  it('sends the machine to the machine-config-server of its cluster and makes it trust that one', () => {
    const { ignition } = renderPointerIgnition(pointer);
    expect(ignition.version).toBe('3.2.0');
    expect(ignition.config?.merge).toEqual([{ source: 'https://api-int.demo.example.com:22623/config/worker' }]);
    expect(fromDataUrl(ignition.security?.tls?.certificateAuthorities?.[0]?.source ?? '')).toBe('ROOT CA');
  });

  it('of a host names it and says where its kubelet is to listen', () => {
    const config = renderPointerIgnition({ ...pointer, hostname: 'worker-0', nodeIpHint: '192.0.2.0' });
    expect(readTextFile(config, '/etc/hostname')).toBe('worker-0');
    expect(readTextFile(config, '/etc/default/nodeip-configuration')).toBe('KUBELET_NODEIP_HINT=192.0.2.0\n');
  });

  it('of a role says nothing about a host', () => {
    expect(renderPointerIgnition(pointer).storage).toBeUndefined();
  });
});

describe('The bootstrap ignition', () => {
  it('has the units that the installer starts, and starts none itself', () => {
    const units = renderBootstrapIgnition(sampleBootstrap()).systemd?.units ?? [];
    expect(units.map(({ name }) => name)).toEqual([
      'release-image.service',
      'bootkube.service',
      'approve-csr.service',
      'progress.service',
    ]);
    expect(units.some(({ enabled }) => enabled)).toBe(false);
  });

  it('carries the pull secret, the credentials and the identity of the cluster', () => {
    const config = renderBootstrapIgnition(sampleBootstrap());
    expect(readTextFile(config, '/root/.docker/config.json')).toBe(sampleBootstrap().pullSecret);
    expect(readTextFile(config, '/opt/openshift/auth/kubeconfig')).toBe('KUBECONFIG');
    expect(readTextFile(config, '/opt/openshift/manifests/cvo-overrides.yaml')).toContain(
      '"clusterID":"11111111-2222-4333-8444-555555555555"',
    );
  });

  it.each([
    [false, ''],
    [true, undefined],
  ])('of a single node (%s) is told apart by the marker of the others', (isSingleNode, marker) => {
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
