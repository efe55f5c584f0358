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

  it.each(REFUSED_IN_POLICIES)('refuse %j as a policy: %s', (document, problem) => {
    expect(problemsOf(host(document, 'eth1'), 'nmpolicy')).toEqual([expect.stringContaining(problem)]);
  });

  it.each(ACCEPTED_IN_POLICIES)('accept %j as a policy', (document) => {
    expect(problemsOf(host(document, 'eth1'), 'nmpolicy')).toEqual([]);
  });
});
