import { type HostKey, type RecordedMusterEvent, REPORTED_RESULTS_MAX } from '@muster/contracts';
import { RegistrationView } from './registration-view';

const key = '11111111-1111-1111-1111-111111111111.22222222-2222-2222-2222-222222222222';

function observedView() {
  const view = new RegistrationView();
  let position = 0;
  const observe = (type: string, streamId: string, data: object): void => {
    const metadata = { commandId: type, correlationId: type, occurredAt: '2026-01-02T03:04:05.000Z' };
    const event = { id: type, type, streamId, position: (position += 1), revision: position, data, metadata };
    view.observe(event as unknown as RecordedMusterEvent);
  };
  return { view, observe };
}

describe('the registration view', () => {
  it('returns the CPU architectures of the infra-envs that are bound to a cluster', () => {
    const { view, observe } = observedView();
    const infraEnv = (id: string, clusterId: string, cpuArchitecture: string): void =>
      observe('InfraEnvRegistered', `infraEnv-${id}`, {
        infraEnvId: id,
        settings: { clusterId, cpuArchitecture },
        owner: {},
        pullSecretSet: true,
      });
    infraEnv('a', 'cluster', 'x86_64');
    infraEnv('b', 'cluster', 'arm64');
    infraEnv('c', 'other', 's390x');
    expect(view.imageArchitecturesOf('cluster')).toEqual(['x86_64', 'arm64']);
  });

  it('returns the same hosts of a cluster until one of them changes its state or its hardware', () => {
    const { view, observe } = observedView();
    const generation = 1;
    const isKept = (change: () => void): boolean => {
      const before = view.hostsOf('cluster');
      change();
      return view.hostsOf('cluster') === before;
    };
    observe('ClusterRegistered', 'cluster-cluster', { clusterId: 'cluster', settings: {}, owner: {} });
    observe('HostRegistered', `host-${key}`, {
      hostId: 'b',
      infraEnvId: 'a',
      clusterId: 'cluster',
      generation,
      owner: {},
    });
    expect(view.hostsOf('cluster').map((host) => host.key)).toEqual([key]);
    expect(isKept(() => undefined)).toBe(true);
    const outcomes = { hostKey: key, generation, changed: [], reset: false };
    expect(isKept(() => observe('HostOutcomesChanged', `validation-${key}`, outcomes))).toBe(true);
    const hardware = { cpuCount: 4 };
    expect(isKept(() => observe('InventoryReported', `inventory-${key}`, { generation, hardware }))).toBe(false);
    expect(view.hostsOf('cluster')[0]?.hardware).toEqual(hardware);
    expect(isKept(() => observe('HostEnteredStatus', `host-${key}`, { to: 'known', at: '' }))).toBe(false);
    expect(isKept(() => observe('HostDeregistered', `host-${key}`, {}))).toBe(false);
    expect(view.hostsOf('cluster')).toEqual([]);
  });

  it('keeps as many measured disks and checked images of a host as the rules do', () => {
    const { view, observe } = observedView();
    observe('HostRegistered', `host-${key}`, { hostId: 'b', infraEnvId: 'a', clusterId: '', generation: 1, owner: {} });
    const report = (type: string, data: object) => observe(type, `inventory-${key}`, { generation: 1, ...data });
    const names = Array.from({ length: 2 * REPORTED_RESULTS_MAX }, (_, n) => `name-${n}`);
    for (const name of [...names, 'name-300']) {
      report('DiskSpeedMeasured', { path: name });
      report('ImageAvailabilityReported', { images: [{ name }] });
    }
    const kept = [...names.filter((name) => name !== 'name-300'), 'name-300'].slice(-REPORTED_RESULTS_MAX);
    expect(view.host(key as HostKey)).toMatchObject({ measuredDisks: kept, checkedImages: kept });
  });

  it('takes the kubeconfig of an earlier installation for none of the next one', () => {
    const { view, observe } = observedView();
    const clusterId = 'cluster';
    observe('ClusterRegistered', 'cluster-cluster', { clusterId, settings: {}, owner: {}, monitoredOperators: [] });
    const prepared = (attempt: number) =>
      observe('ArtifactsPrepared', 'artifact-cluster', { clusterId, attempt, openshiftClusterId: 'o', artifacts: [] });
    const accepted = () => observe('IngressCaAccepted', 'artifact-cluster', { clusterId });
    prepared(1);
    observe('ClusterReset', 'cluster-cluster', { reason: 'again' });
    // The controller of the cancelled installation reports it before the artifacts are discarded.
    accepted();
    prepared(2);
    expect(view.cluster(clusterId)).toMatchObject({ artifacts: { attempt: 2 }, hasKubeconfig: false });
    accepted();
    expect(view.cluster(clusterId)?.hasKubeconfig).toBe(true);
  });
});
