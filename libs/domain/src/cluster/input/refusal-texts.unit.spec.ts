import { after, registration, START } from '../cluster.fixture.spec';
import { initialClusterState } from '../state';
import { clusterInputRefusal } from './input';

const reasonFor = (baseDnsDomain: string): string =>
  clusterInputRefusal(registration({ baseDnsDomain }), initialClusterState())?.reason ?? '';

describe('the refusal of a base domain', () => {
  it.each([
    ['Example.com', 'lower-case letters'],
    ['example.c', 'at least two characters'],
    [`${'a.'.repeat(90)}com`, 'at most 181 lower-case'],
  ])('of %s contains the rule that it breaks', (domain, rule) => {
    expect(reasonFor(domain)).toContain(rule);
  });

  it('contains a part of a long value', () => {
    expect(reasonFor('a'.repeat(16_000)).length).toBeLessThan(500);
  });
});

describe('the refusal of the platform of a single node', () => {
  it.each(['baremetal', 'vsphere', 'nutanix'])(
    'contains the platform %s, which the request selects',
    (platformType) => {
      const refusal = {
        subject: 'platform.type',
        reason: `A single-node cluster cannot be of platform ${platformType}.`,
        allowed: ['none', 'external'],
      };
      const single = { controlPlaneCount: 1 };
      expect(clusterInputRefusal(registration({ ...single, platformType }), initialClusterState())).toMatchObject(
        refusal,
      );
      const revision = { type: 'Revise', changes: { platformType }, pullSecretReplaced: false, at: START } as const;
      expect(clusterInputRefusal(revision, after(registration(single)))).toMatchObject(refusal);
    },
  );
});

describe('the refusal of the name of the API of an imported cluster', () => {
  it.each([
    ['api.my_lab.example.com', 'The name "my_lab" in api_vip_dnsname is not valid'],
    ['api.lab.exa_mple.com', 'The domain "exa_mple.com" in api_vip_dnsname is not a DNS name'],
    ['my_lab', 'api_vip_dnsname "my_lab" is neither a DNS name nor an address'],
  ])('%s names the field of the request', (apiVipDnsName, reason) => {
    const imported = registration({ apiVipDnsName }, { kind: 'AddHostsCluster', imported: true });
    expect(clusterInputRefusal(imported, initialClusterState())).toMatchObject({
      subject: 'api_vip_dnsname',
      reason: expect.stringContaining(reason) as string,
    });
    const changes = { apiVipDnsName: 'my_lab', baseDnsDomain: 'exa_mple.com' };
    const revision = { type: 'Revise', changes, pullSecretReplaced: false, at: START } as const;
    const present = after(
      registration({ apiVipDnsName: 'api.lab.example.com' }, { kind: 'AddHostsCluster', imported: true }),
    );
    expect(clusterInputRefusal(revision, present)?.subject).toBe('base_dns_domain');
  });
});
