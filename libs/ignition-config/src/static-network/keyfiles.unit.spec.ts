import { planHostNetworks } from './host-networks';

const PAIRS = 200;

it('keyfiles of many interfaces are rendered without sorting all of them for each', () => {
  const pairs = Array.from(
    { length: PAIRS },
    (_, index) => `- {name: e${index}, type: veth, veth: {peer: f${index}}, ipv4: {enabled: true, dhcp: true}}\n`,
  );
  const yaml = `interfaces:\n${pairs.join('')}route-rules:\n  config:\n  - {ip-to: 10.0.0.0/8, route-table: 7}\n`;
  const mapping = [{ mac_address: '02:00:00:00:00:01', logical_nic_name: 'ens3' }];
  const sorts = jest.spyOn(Array.prototype, 'sort');
  const { hosts, problems } = planHostNetworks([{ network_yaml: yaml, mac_interface_map: mapping }], 'keyfiles');
  const long = sorts.mock.contexts.filter((list) => Array.isArray(list) && list.length >= PAIRS);
  sorts.mockRestore();
  expect(problems).toEqual([]);
  const files = hosts[0]?.files ?? [];
  expect(files).toHaveLength(2 * PAIRS);
  expect(files.filter(({ content }) => content.includes('routing-rule')).map(({ fileName }) => fileName)).toEqual([
    'e0.nmconnection',
  ]);
  expect(long.length).toBeLessThan(10);
});
