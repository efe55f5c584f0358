import { fetchApiVipIgnition, fetchTangAdvertisements, withoutSecrets } from './remote-checks';

const never = new AbortController().signal;

describe('what is reported of a downloaded ignition', () => {
  it('is the disk encryption and the files of the network, nothing else', () => {
    const told = withoutSecrets(
      JSON.stringify({
        ignition: { version: '3.2.0' },
        passwd: { users: [{ name: 'core' }] },
        storage: {
          luks: [{ name: 'root' }],
          files: [{ path: '/etc/kubernetes/kubeconfig' }, { path: '/root/.docker/config.json' }],
        },
        systemd: { units: [{ name: 'kubelet.service' }] },
      }),
    );
    expect(JSON.parse(told)).toEqual({
      ignition: { version: '3.2.0' },
      storage: { luks: [{ name: 'root' }], files: [{ path: '/etc/kubernetes/kubeconfig' }] },
    });
  });

  it('is an error when it is no ignition', () => {
    expect(() => withoutSecrets('{}')).toThrow('not an ignition');
  });
});

describe('a server that does not answer', () => {
  it('is a finding, not a failure', async () => {
    const url = 'http://127.0.0.1:1/config/worker';
    const order = { url, caCertificatePem: '', requestHeaders: [], token: '' };
    expect(await fetchApiVipIgnition(order, never)).toMatchObject({ url, is_success: false, ignition: '' });
    const servers = [{ url: 'http://127.0.0.1:1', thumbprint: 'x' }];
    expect(await fetchTangAdvertisements({ servers }, never)).toEqual({ is_success: false, tang_server_response: [] });
  });
});
