import { clusterDecider, evolveCluster, hostDecider, evolveHost, initialClusterState, initialHost } from './index';
import { conditions, fiveHosts, refresh as refreshCluster } from './cluster/cluster.fixture.spec';
import { refresh as refreshHost, registered } from './host/host.fixture.spec';
import { NOT_EVALUATED, OUTDATED_OUTCOMES } from './evaluated-inputs';

const refusal = { kind: 'refused', refusal: OUTDATED_OUTCOMES };

describe('a transition that rests on outcomes', () => {
  const host = [
    registered(),
    {
      type: 'HostEnteredStatus' as const,
      data: { status: 'insufficient', from: '', transition: '', at: '', cause: '' },
    },
  ].reduce((state, event) => evolveHost(state, event as never), initialHost());
  const cluster = evolveCluster(
    { ...initialClusterState(), status: 'insufficient' },
    { type: 'MachineNetworksDerived', data: { cidrs: ['192.168.128.0/24'] } },
  );
  const ready = (evaluatedRevision: number) =>
    clusterDecider.decide(refreshCluster(fiveHosts('known'), { conditions: conditions(), evaluatedRevision }), cluster);
  const known = (evaluatedRevision: number) =>
    hostDecider.decide(refreshHost({}, undefined, { evaluatedRevision }), host);

  it('is taken when they were evaluated for the last change', () => {
    expect(ready(cluster.inputsRevision)).toMatchObject({ events: [{ data: { status: 'ready' } }] });
    expect(known(host.inputsRevision)).toMatchObject({ events: [{ data: { status: 'known' } }] });
  });

  it('is refused when they are older, or when that is not known', () => {
    for (const outdated of [cluster.inputsRevision - 1, NOT_EVALUATED]) expect(ready(outdated)).toEqual(refusal);
    for (const outdated of [host.inputsRevision - 1, NOT_EVALUATED]) expect(known(outdated)).toEqual(refusal);
  });

  it.each(['preparing-for-installation', 'preparing-successful', 'preparing-failed'] as const)(
    'is refused while a host is %s',
    (status) => {
      const preparing = { ...host, status };
      expect(hostDecider.decide(refreshHost({}, undefined, { evaluatedRevision: 0 }), preparing)).toEqual(refusal);
    },
  );

  it('is not refused for a change that validations do not read', () => {
    const explained = evolveHost(host, { type: 'HostStatusExplained', data: { statusReason: undefined } });
    expect(explained.inputsRevision).toBe(host.inputsRevision);
    expect(hostDecider.decide(refreshHost({}, undefined, { evaluatedRevision: 1 }), explained).kind).toBe('accepted');
  });
});
