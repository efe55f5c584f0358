import { clusterIn, conditions, fiveHosts, refresh, when } from './cluster/cluster.fixture.spec';
import { CLUSTER_MESSAGES, clusterReason, explainClusterStatus, renderClusterStatus } from './cluster/messages';
import { day1, refresh as refreshHost, stateAfter, when as whenHost } from './host/host.fixture.spec';
import { HOST_MESSAGES, hostReason, mediaFailure, renderHostStatus } from './host/messages';

const FAILING = refresh(fiveHosts('known'), {
  conditions: conditions({
    requiredPassed: false,
    failingIds: ['sufficient-masters-count'],
    pendingIds: ['ntp-server-configured'],
  }),
});
const messages = (texts: Readonly<Record<string, string>>) => (id: string) => new Map(Object.entries(texts)).get(id);

describe('reason of a status', () => {
  it('is stored as a code with ids and without text', () => {
    const { events } = when(clusterIn('ready'), FAILING);
    expect(events).toMatchObject([
      {
        type: 'ClusterEnteredStatus',
        data: {
          statusReason: {
            code: 'not-ready',
            parameters: {},
            failing: ['sufficient-masters-count'],
            pending: ['ntp-server-configured'],
          },
        },
      },
    ]);
  });

  it('is not stored again while only the messages of its validations change', () => {
    const { state } = when(clusterIn('ready'), FAILING);
    expect(when(state, FAILING).events).toEqual([]);
    const failing = refreshHost({ sufficientForInstall: false });
    const first = whenHost(day1('known'), failing);
    expect(first.types).toEqual(['HostEnteredStatus']);
    expect(whenHost([...day1('known'), ...first.events], failing).events).toEqual([]);
  });

  it('is not stored again after its text was changed in the source', () => {
    const { state } = when(clusterIn('ready'), FAILING);
    const history = [...day1('known'), ...whenHost(day1('known'), refreshHost({ minHardware: false })).events];
    const reword = (table: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.keys(table).map((code) => [code, `reworded ${code}`]));
    jest.isolateModules(() => {
      const cluster = jest.requireActual<typeof import('./cluster/messages')>('./cluster/messages');
      const host = jest.requireActual<typeof import('./host/messages')>('./host/messages');
      jest.doMock('./cluster/messages', () => ({ ...cluster, CLUSTER_MESSAGES: reword(CLUSTER_MESSAGES) }));
      jest.doMock('./host/messages', () => ({ ...host, HOST_MESSAGES: reword(HOST_MESSAGES) }));
      const { clusterDecider } = jest.requireActual<typeof import('./cluster/decider')>('./cluster/decider');
      const { hostDecider } = jest.requireActual<typeof import('./host/decider')>('./host/decider');
      expect(clusterDecider.decide(FAILING, state)).toEqual({ kind: 'accepted', events: [] });
      expect(hostDecider.decide(refreshHost({ minHardware: false }), stateAfter(history))).toEqual({
        kind: 'accepted',
        events: [],
      });
    });
  });
});

describe('status_info', () => {
  const reason = clusterReason('not-ready', { failing: ['b', 'a'], pending: ['c'] });

  it('of a cluster is exactly the text that scripts compare', () => {
    expect(renderClusterStatus(reason)).toBe('Cluster is not ready for install');
    expect(renderClusterStatus(clusterReason('input-required'))).toBe('User input required');
    expect(renderClusterStatus(clusterReason('hosts-failed'))).toBe('cluster has hosts in error');
    expect(renderClusterStatus(clusterReason('cancelled'))).toBe('Installation was cancelled by user');
    expect(renderClusterStatus(clusterReason('wrong-boot-order'))).toBe('Cluster has hosts pending user action');
  });

  it('of a cluster is followed by the failing and pending validations in explainClusterStatus', () => {
    expect(explainClusterStatus(reason, messages({ a: 'A fails', c: 'C is measured' }))).toBe(
      'Cluster is not ready for install: A fails ; b. Waiting for: C is measured',
    );
  });

  it('of a host contains the failing validations and those without a result', () => {
    const failing = hostReason('insufficient', { failing: ['x'], pending: ['y'] });
    expect(renderHostStatus(failing, messages({ x: 'X fails' }))).toBe(
      'Host cannot be installed due to following failing validation(s): X fails. Waiting for: y',
    );
    expect(renderHostStatus(hostReason('insufficient', { pending: ['y'] }), messages({ y: 'Y is measured' }))).toBe(
      'Host cannot be installed. Waiting for: Y is measured',
    );
  });

  it('of a host contains equal messages once and no repeated prefix', () => {
    const waiting = hostReason('insufficient', { pending: ['api', 'apps', 'network'] });
    const message = 'Waiting for the host to resolve domain names';
    const texts = messages({ api: message, apps: message, network: 'Waiting for the machine network' });
    expect(renderHostStatus(waiting, texts)).toBe(
      'Host cannot be installed. Waiting for: the host to resolve domain names ; the machine network',
    );
  });

  it('of a host contains the current message of a validation', () => {
    const failing = hostReason('weak-hardware', { failing: ['cores'] });
    expect(renderHostStatus(failing, messages({ cores: '2 cores' }))).toContain('2 cores');
    expect(renderHostStatus(failing, messages({ cores: '3 cores' }))).toContain('3 cores');
  });

  it('of a host whose media failed contains the previous text', () => {
    const failed = mediaFailure(hostReason('stage', { parameters: { stage: 'Writing image to disk' } }));
    expect(renderHostStatus(failed, messages({}))).toMatch(/^Failed - Unable to read .*\. Writing image to disk$/);
    expect(mediaFailure(failed)).toBe(failed);
  });
});
