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

it('the keyfile of a VXLAN contains its local address and whether it learns', () => {
  const yaml = `interfaces:
- {name: ens3, type: ethernet}
- {name: vx0, type: vxlan, vxlan: {id: 5, base-iface: ens3, local: 10.0.0.1, remote: 10.0.0.9, learning: false}}
`;
  const mapping = [{ mac_address: '02:00:00:00:00:01', logical_nic_name: 'ens3' }];
  const { hosts } = planHostNetworks([{ network_yaml: yaml, mac_interface_map: mapping }], 'keyfiles');
  const file = hosts[0]?.files.find(({ fileName }) => fileName === 'vx0.nmconnection');
  expect(file?.content).toContain('[vxlan]\nid=5\nlearning=false\nlocal=10.0.0.1\nparent=ens3\nremote=10.0.0.9\n');
});
