import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toDataUrl } from '@muster/ignition-config';
import { fetchApiVipIgnition, fetchTangAdvertisements, withoutSecrets } from './remote-checks';

const never = new AbortController().signal;

describe('the report about a downloaded Ignition config', () => {
  it('contains only disk encryption and network files', () => {
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

  it('contains the operating system image of the machine config, and nothing else of it', () => {
    const path = '/etc/ignition-machine-config-encapsulated.json';
    const reported = (source: string): unknown =>
      JSON.parse(
        withoutSecrets(
          JSON.stringify({ ignition: { version: '3.2.0' }, storage: { files: [{ path, contents: { source } }] } }),
        ),
      );
    const config = { spec: { osImageURL: 'quay.io/coreos:1', config: { passwd: {} } } };
    const file = { path, contents: { source: toDataUrl('{"spec":{"osImageURL":"quay.io/coreos:1"}}') } };
    for (const source of [toDataUrl(JSON.stringify(config)), `data:,${encodeURIComponent(JSON.stringify(config))}`])
      expect(reported(source)).toMatchObject({ storage: { files: [file] } });
    for (const source of ['data:,x', 'data:,{}', 'https://192.0.2.1/config'])
      expect(reported(source)).toMatchObject({ storage: { files: [] } });
  });

  it('is an error when the download is not an Ignition config', () => {
    expect(() => withoutSecrets('{}')).toThrow('not an ignition');
  });
});

describe('a server that does not answer', () => {
  it('is reported as a result and not as a failure of the step', async () => {
    const url = 'http://127.0.0.1:1/config/worker';
    const order = { url, caCertificatePem: '', requestHeaders: [], token: '' };
    expect(await fetchApiVipIgnition(order, never)).toMatchObject({ url, is_success: false, ignition: '' });
    const servers = [{ url: 'http://127.0.0.1:1', thumbprint: 'x' }];
    expect(await fetchTangAdvertisements({ servers }, never)).toEqual({
      is_success: false,
      tang_server_response: [],
      reason: expect.stringMatching(/^The Tang server http:\/\/127.0.0.1:1 .* ECONNREFUSED/),
    });
  });
});

describe('the advertisement of a Tang server', () => {
  const signature = { protected: 'p', signature: 's' };
  const fetchFrom = async (advertisement: object) => {
    const server = createServer((_request, response) => response.end(JSON.stringify(advertisement)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const { is_success, tang_server_response } = await fetchTangAdvertisements(
        { servers: [{ url, thumbprint: 'x' }] },
        never,
      );
      return [is_success, tang_server_response.map(({ payload, signatures }) => ({ payload, signatures }))];
    } finally {
      server.close();
    }
  };

  it.each([
    ['several signatures', { payload: 'keys', signatures: [signature, signature] }, [signature, signature]],
    ['one signature beside the payload', { payload: 'keys', ...signature }, [signature]],
  ])('is reported with %s', async (_name, advertisement, signatures) => {
    expect(await fetchFrom(advertisement)).toEqual([true, [{ payload: 'keys', signatures }]]);
  });

  it('is not valid without a signature', async () => {
    expect(await fetchFrom({ payload: 'keys' })).toEqual([false, []]);
  });
});
