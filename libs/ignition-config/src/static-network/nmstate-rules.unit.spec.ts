import { planHostNetworks } from './host-networks';
import { host, problemsOf } from './host-networks.fixture.spec';
import { ACCEPTED, ACCEPTED_IN_POLICIES, REFUSED, REFUSED_IN_POLICIES } from './nmstate-rules.fixture.spec';

describe('rules of nmstate', () => {
  it.each(REFUSED)('refuse %j in both forms: %s', (document, problem) => {
    for (const form of ['keyfiles', 'nmpolicy'] as const)
      expect(problemsOf(host(document, 'eth0', 'eth1'), form)).toEqual([expect.stringContaining(problem)]);
  });

  it.each(ACCEPTED)('accept %j in both forms', (document) => {
    for (const form of ['keyfiles', 'nmpolicy'] as const)
      expect(problemsOf(host(document, 'eth0', 'eth1'), form)).toEqual([]);
  });

  it('are met by policies with the first name of each member and without empty values', () => {
    const yaml = `interfaces:
- {name: eth0, type: ethernet, mtu: , ipv4: ~, ovs-db: {external_ids: {ports: ~}}}
- {name: bond0, type: bond, bond: {mode: 1, ports: [eth0]}}
routes:
`;
    const { hosts } = planHostNetworks([host(yaml, 'eth0')], 'nmpolicy');
    expect(hosts[0]?.files[0]?.content).toMatch(
      /interfaces:\n    - name: "{{.*}}"\n      type: ethernet\n      ovs-db:\n        external_ids:\n          ports: null\n    - name: bond0\n      type: bond\n      link-aggregation:\n        mode: 1\n        port:\n          - "{{.*}}"\n$/,
    );
  });

  it('are met by policies with the captured names of a link-local name server and of the ports of a ring', () => {
    const yaml = `interfaces:
- {name: hsr0, type: hsr, hsr: {port1: eth0, port2: eth1, multicast-spec: 40, protocol: prp}}
- {name: eth0, type: ethernet, ipv6: {enabled: true}}
dns-resolver: {config: {server: ["fe80::1%eth0", "fd00::53"]}}
`;
    const { hosts } = planHostNetworks([host(yaml, 'eth0', 'eth1')], 'nmpolicy');
    const content = hosts[0]?.files[0]?.content ?? '';
    expect(content).toContain('port1: "{{ capture.iface0.interfaces.0.name }}"');
    expect(content).toContain('port2: "{{ capture.iface1.interfaces.0.name }}"');
    expect(content).toMatch(/- fe80::1%{{ capture.iface0.interfaces.0.name }}\n +- fd00::53\n/);
  });

  it.each(REFUSED_IN_POLICIES)('refuse %j as a policy: %s', (document, problem) => {
    expect(problemsOf(host(document, 'eth1'), 'nmpolicy')).toEqual([expect.stringContaining(problem)]);
  });

  it.each(ACCEPTED_IN_POLICIES)('accept %j as a policy', (document) => {
    expect(problemsOf(host(document, 'eth1'), 'nmpolicy')).toEqual([]);
  });
});
