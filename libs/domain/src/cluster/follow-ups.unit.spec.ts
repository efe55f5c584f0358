import { NO_HARDWARE } from '@muster/validation-rules';
import { initialHost } from '../host/state';
import { nic } from '../steps/step-sample.fixture.spec';
import { evolveCluster } from './evolve';
import { clusterFollowUps, type ClusterMember } from './follow-ups';
import { type ClusterState, initialClusterState } from './state';

const AT = '2026-01-01T00:00:00.000Z';
const NETWORK = '192.168.128.0/24';
const member = (address: string): ClusterMember => ({
  state: initialHost(),
  hardware: { ...NO_HARDWARE, nics: [nic({ ipv4Addresses: [address] })] },
});
const derivedFor = (state: ClusterState, hosts: readonly ClusterMember[]): readonly string[] | undefined => {
  for (const command of clusterFollowUps(state, { hosts, evaluatedRevision: 0, hasKubeconfig: false }, AT))
    if (command.type === 'DeriveMachineNetworks') return command.cidrs;
  return undefined;
};

describe('derivation of machine networks', () => {
  const open: ClusterState = {
    ...initialClusterState(),
    status: 'insufficient',
    settings: { controlPlaneCount: 3, apiVips: { items: ['192.168.128.100'] } },
  };
  const derived = evolveCluster(open, { type: 'MachineNetworksDerived', data: { cidrs: [NETWORK] } });

  it('derives the network of the host that is in the network of the VIP', () => {
    expect(derivedFor(open, [member('192.168.128.7/24')])).toEqual([NETWORK]);
    expect(derivedFor(derived, [member('192.168.128.7/24')])).toBeUndefined();
  });

  it('removes the network when its last host was removed', () => {
    expect(derivedFor(derived, [member('10.1.0.5/16')])).toEqual([]);
    expect(derivedFor(derived, [])).toEqual([]);
  });

  it('keeps the network while a host has not reported its inventory again', () => {
    expect(derivedFor(derived, [{ state: initialHost() }])).toBeUndefined();
  });

  it('keeps machine networks that a user set', () => {
    const named = evolveCluster(derived, {
      type: 'ClusterSettingsRevised',
      data: {
        changes: { machineNetworks: { items: [NETWORK] } },
        pullSecretReplaced: false,
        monitoredOperators: undefined,
      },
    });
    expect(derivedFor(named, [])).toBeUndefined();
  });
});
