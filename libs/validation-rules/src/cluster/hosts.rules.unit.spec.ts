import type { ClusterSettingsFacts } from '../facts/cluster-settings.facts';
import type { ClusterHostFacts } from '../facts/cluster.facts';
import { sampleCluster, sampleClusterHost, sampleSettings } from '../facts/sample.facts';
import type { Outcome } from '../rule/rule';
import { evaluateCluster } from './cluster-rules.table';

type Group = readonly [count: number, status: string, role: string];

/** The outcomes about the hosts of a cluster with as many hosts of each status and role. */
const outcomes = (...groups: readonly Group[]): readonly Outcome[] => {
  const hosts = groups.flatMap(([count, status, role]) =>
    Array.from({ length: count }, (_, at) => sampleClusterHost({ hostKey: `env.${role}-${at}`, status, role })),
  );
  const ids = ['all-hosts-are-ready-to-install', 'sufficient-masters-count'];
  return evaluateCluster(sampleCluster({ hosts })).filter(({ id }) => ids.includes(id));
};

describe('the outcomes about the hosts of a cluster', () => {
  it('do not change with each host that registers', () => {
    expect(outcomes([5, 'discovering', 'worker'])).toEqual(outcomes([1, 'discovering', 'worker']));
  });

  it('do not change with each host that is not ready', () => {
    const one = outcomes([3, 'known', 'master'], [1, 'insufficient', 'worker']);
    expect(outcomes([3, 'known', 'master'], [4, 'insufficient', 'worker'])).toEqual(one);
  });

  it('do not change with the number of workers', () => {
    expect(outcomes([3, 'known', 'master'], [2, 'known', 'worker'])).toEqual(outcomes([3, 'known', 'master']));
  });
});

describe('the number of control plane hosts', () => {
  const AUTO = { role: 'auto-assign', suggestedRole: '', canBeControlPlane: true, canBeArbiter: true };
  const SMALL = { ...AUTO, canBeControlPlane: false };
  const WEAK = { ...SMALL, canBeArbiter: false };
  const MASTER = { role: 'master' };
  const FENCED = { role: 'master', hasFencingCredentials: true };
  const outcomeOf = (
    controlPlaneCount: number,
    hosts: readonly Partial<ClusterHostFacts>[],
    settings: Partial<ClusterSettingsFacts> = {},
  ): Outcome | undefined =>
    evaluateCluster(
      sampleCluster({
        settings: sampleSettings({ controlPlaneCount, ...settings }),
        hosts: hosts.map((one, at) => sampleClusterHost({ hostKey: `env.${at}`, ...one })),
      }),
    ).find(({ id }) => id === 'sufficient-masters-count');

  it.each([
    ['2 hosts and an arbiter get their roles', 2, [AUTO, AUTO, SMALL], 'success'],
    ['the third host can be the arbiter, the others are workers', 2, [AUTO, AUTO, AUTO, AUTO], 'success'],
    ['the third host can only be a worker', 2, [AUTO, AUTO, WEAK], 'failure'],
    ['a host is missing beside the arbiter', 2, [AUTO, SMALL], 'failure'],
    ['a control plane host is missing beside the arbiter', 2, [MASTER, { role: 'arbiter' }], 'failure'],
    ['one of two hosts has no fencing credentials', 2, [FENCED, MASTER], 'failure'],
    ['all hosts have fencing credentials, but one is missing', 2, [FENCED], 'failure'],
    ['no arbiter is needed for 3 control plane hosts', 3, [AUTO, AUTO, AUTO, SMALL], 'success'],
    ['a single node gets its role', 1, [AUTO], 'success'],
    ['the second host of a single node is a worker', 1, [AUTO, AUTO], 'failure'],
    ['a single node has two control plane hosts', 1, [MASTER, MASTER], 'failure'],
    ['a single node has an arbiter', 1, [MASTER, { role: 'arbiter' }], 'failure'],
  ] as const)('%s', (_, controlPlaneCount, hosts, status) => {
    expect(outcomeOf(controlPlaneCount, hosts)?.status).toBe(status);
  });

  it('counts at most one arbiter among hosts without a role', () => {
    expect(outcomeOf(2, [AUTO, SMALL, SMALL, WEAK])?.parameters).toEqual(['1', '1', '2']);
  });

  it.each([
    ['baremetal', '4.20.0', '1', '0'],
    ['none', '4.22.0', '1', '0'],
    ['none', '4.21.9', '0', '1'],
    ['vsphere', '4.22.0', '0', '1'],
    ['nutanix', '4.22.0', '0', '1'],
    ['external', '4.22.0', '0', '1'],
  ])('counts an arbiter on platform %s with version %s: %s', (platformType, openshiftVersion, arbiters, workers) => {
    const settings = { platformType, openshiftVersion };
    expect(outcomeOf(2, [SMALL], settings)?.parameters).toEqual(['0', arbiters, workers]);
    expect(outcomeOf(2, [AUTO, AUTO, SMALL], settings)?.status).toBe(arbiters === '1' ? 'success' : 'failure');
  });
});

describe('hosts that are not ready', () => {
  it('are awaited while all of them have just registered', () => {
    const statusOf = (...groups: readonly Group[]) =>
      outcomes(...groups).find(({ id }) => id === 'all-hosts-are-ready-to-install')?.status;
    for (const status of ['unregistered', 'discovering', 'binding'])
      expect(statusOf([2, 'known', 'master'], [1, status, 'worker'])).toBe('pending');
    expect(statusOf([1, 'discovering', 'master'], [1, 'insufficient', 'worker'])).toBe('failure');
    expect(statusOf()).toBe('pending');
  });

  it.each(['disconnected', 'discovering', 'resetting-pending-user-action'])(
    'do not have their clock compared in %s',
    (status) => {
      const hosts = [{}, { status, clockOffsetSeconds: 900 }].map((one, at) =>
        sampleClusterHost({ hostKey: `env.${at}`, ...one }),
      );
      const clocks = evaluateCluster(sampleCluster({ hosts })).find(({ id }) => id === 'ntp-server-configured');
      expect(clocks?.status).toBe('success');
    },
  );
});
