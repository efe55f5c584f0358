import { CLUSTER_TABLE } from './cluster/decider';
import { CLUSTER_STATUSES, type ClusterState, initialClusterState } from './cluster/state';
import { HOST_TABLE, hostDecider } from './host/decider';
import { HOST_STATUSES, initialHost } from './host/state';
import {
  architectureRefusal,
  clusterAdmissionRefusal,
  CLUSTER_PERMISSIONS,
  type ClusterAction,
  clusterActionRefusal,
  clusterPermits,
  HOST_PERMISSIONS,
  hostPermits,
} from './permissions';

describe('permissions by cluster status', () => {
  it('state the status and the statuses that permit the action', () => {
    expect(clusterActionRefusal('admit-hosts', 'installed')).toEqual({
      code: 'cluster-does-not-accept-hosts',
      reason: 'The cluster is installed: it does not accept hosts.',
      subject: 'status',
      allowed: ['pending-for-input', 'insufficient', 'ready', 'adding-hosts'],
    });
    expect(clusterActionRefusal('admit-hosts', 'ready')).toBeUndefined();
    expect(clusterActionRefusal('edit', 'installing', 'lab')?.reason).toMatch(/^Cluster lab is installing: /);
  });

  it('name the action that lets an installed cluster accept hosts, and only there', () => {
    const reasonIn = (status: ClusterState['status']) =>
      clusterAdmissionRefusal({ ...initialClusterState(), status }, 'c')?.reason;
    expect(reasonIn('installed')).toContain('actions/allow-add-hosts');
    expect(reasonIn('installing')).toBe('Cluster c is installing: it does not accept hosts.');
    expect(reasonIn('adding-hosts')).toBeUndefined();
    expect(reasonIn('deregistered')).toBe('Cluster c does not exist.');
  });

  it('accept the ingress CA in error, where a late success is possible', () => {
    expect(clusterPermits('accept-ingress-ca', 'error')).toBe(true);
    expect(clusterPermits('accept-ingress-ca', 'ready')).toBe(false);
  });

  it.each<[ClusterAction, string, string]>([
    ['edit', 'Revise', 'revise-settings'],
    ['record-progress', 'RecordProgress', 'hosts-progressed'],
    ['deregister', 'Deregister', 'deregister'],
  ])('agree on %s with the decision table of the cluster', (action, on, id) => {
    const row = CLUSTER_TABLE.rows.find((one) => one.on === on && one.id === id);
    expect([...(row?.from ?? [])].sort()).toEqual([...CLUSTER_PERMISSIONS[action].statuses].sort());
  });

  it('agree on the ingress CA with the statuses in which the kubeconfig may be completed', () => {
    const statuses = CLUSTER_TABLE.accepting('CompleteKubeconfig');
    expect([...statuses].sort()).toEqual([...CLUSTER_PERMISSIONS['accept-ingress-ca'].statuses].sort());
  });

  it('have a text for every possible refusal', () => {
    for (const { statuses, refusal } of Object.values(CLUSTER_PERMISSIONS))
      expect(refusal.length > 0).toBe(statuses.length < CLUSTER_STATUSES.length);
  });
});

describe('the CPU architecture of a host', () => {
  it.each([
    ['arm64', 'x86_64'],
    ['x86_64', 'arm64'],
    ['aarch64', 'x86_64'],
  ])('%s is refused by a cluster of %s', (ofHost, ofCluster) => {
    expect(architectureRefusal(ofHost, ofCluster)).toMatchObject({ code: 'invalid-input', allowed: [ofCluster] });
  });

  it.each([
    ['arm64', 'arm64'],
    ['aarch64', 'arm64'],
    ['arm64', 'aarch64'],
    ['s390x', 'multi'],
    ['', 'x86_64'],
    ['x86_64', ''],
  ])('"%s" is accepted by a cluster of "%s"', (ofHost, ofCluster) => {
    expect(architectureRefusal(ofHost, ofCluster)).toBeUndefined();
  });
});

describe('permissions by host status', () => {
  it('agree with the decision table of the host', () => {
    expect([...HOST_TABLE.accepting('AssignRole')].sort()).toEqual([...HOST_PERMISSIONS.edit].sort());
  });

  it.each([
    ['cancel-installation', { type: 'CancelInstallation', at: '', reason: '' }],
    ['reset', { type: 'RequireReset', at: '', reason: '', scope: 'cluster' }],
  ] as const)('agree on %s with the decisions of the host', (action, command) => {
    const accepted = HOST_STATUSES.filter(
      (status) => hostDecider.decide(command, { ...initialHost(), status }).kind === 'accepted',
    );
    expect([...accepted].sort()).toEqual([...HOST_PERMISSIONS[action]].sort());
  });

  it('permit polls from the discovery until the disk is written', () => {
    expect(hostPermits('poll', 'installing-in-progress')).toBe(true);
    expect(hostPermits('poll', 'installed')).toBe(false);
    expect(hostPermits('report-inventory', 'preparing-for-installation')).toBe(false);
  });
});
