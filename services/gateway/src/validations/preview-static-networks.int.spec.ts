import { type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';

describe('preview of static networks', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await startRunningGateway();
  });
  afterAll(() => gateway.close());
  const preview = (json: object) => gateway.call('POST', '/api/muster/v1/static-network-previews', { json });
  const config = (network_yaml: string): object => ({ network_yaml });

  it('returns the files of each host', async () => {
    const yaml = 'interfaces: [{name: eth0, mac-address: "02:00:00:80:12:14", ipv4: {enabled: true, dhcp: true}}]';
    const answer = await preview({ openshift_version: '4.17', static_network_config: [config(yaml)] });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      form: 'keyfiles',
      problems: [],
      hosts: [
        {
          mac_interface_map: [{ mac_address: '02:00:00:80:12:14', logical_nic_name: 'eth0' }],
          files: [
            {
              path: '/etc/assisted/network/host0/eth0.nmconnection',
              content: expect.stringContaining('method=auto') as string,
            },
            { path: '/etc/assisted/network/host0/mac_interface.ini' },
          ],
        },
      ],
    });
  });

  it('returns the files of each of many hosts in the order of the configuration', async () => {
    const configs = Array.from({ length: 11 }, (_, index) =>
      config(
        `interfaces: [{name: nic${index}, mac-address: "02:00:00:00:00:${index + 10}", ipv4: {enabled: true, dhcp: true}}]`,
      ),
    );
    const answer = await preview({ openshift_version: '4.17', static_network_config: configs });
    const paths = configs.map((_, index) => ({
      files: [`nic${index}.nmconnection`, 'mac_interface.ini'].map((name) => ({
        path: `/etc/assisted/network/host${index}/${name}`,
      })),
    }));
    expect(answer.body).toMatchObject({ problems: [], hosts: paths });
  });

  it('returns every problem with its host and line, and stores nothing', async () => {
    const answer = await preview({ static_network_config: [config('interfaces:\n- name: eth0\n  typ: x\n')] });
    expect(answer.body).toMatchObject({
      hosts: [],
      problems: [{ host: 0, line: 3, path: 'interfaces[0].typ' }],
    });
    expect(gateway.received).toEqual([]);
  });

  it('requires the fields that the v2 API requires', async () => {
    expect((await preview({ static_network_config: 'x' })).status).toBe(400);
    expect((await preview({})).status).toBe(400);
  });
});
