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
