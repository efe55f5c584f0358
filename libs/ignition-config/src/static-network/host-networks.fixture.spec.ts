import { type HostNetworkConfig, planHostNetworks } from './host-networks';
import { describeNetworkProblem } from './nmstate';

export const MAC = '02:00:00:80:12:14';
export const host = (network_yaml: string, ...names: readonly string[]): HostNetworkConfig => ({
  network_yaml,
  mac_interface_map: names.map((name, index) => ({
    mac_address: `02:00:00:00:00:0${index + 1}`,
    logical_nic_name: name,
  })),
});
export const eth0 = (more: string): HostNetworkConfig =>
  host(`interfaces:\n- name: eth0\n  type: ethernet\n${more}`, 'eth0');
export const problemsOf = (config: HostNetworkConfig, form: 'keyfiles' | 'nmpolicy' = 'keyfiles'): readonly string[] =>
  planHostNetworks([config], form).problems.map(describeNetworkProblem);
