import type { ClusterSettings, Plain } from '@muster/contracts';
import { after, registration, START, when } from '../cluster.fixture.spec';
import type { ReviseCluster } from '../commands';

const list = (...items: string[]): { items: string[] } => ({ items });
const revise = (changes: Plain<ClusterSettings>): ReviseCluster => ({
  type: 'Revise',
  changes,
  pullSecretReplaced: false,
  at: START,
});

describe('revision of platform and networking', () => {
  it('to user-managed networking clears VIPs and machine networks and changes the platform', () => {
    const withVips = after(registration({ apiVips: list('10.0.0.5'), ingressVips: list('10.0.0.6') }), {
      type: 'DeriveMachineNetworks',
      cidrs: ['10.0.0.0/24'],
      at: START,
    });
    const { settings } = when(withVips, revise({ userManagedNetworking: true })).state;
    expect(settings).toMatchObject({
      platformType: 'none',
      userManagedNetworking: true,
      apiVips: list(),
      ingressVips: list(),
      machineNetworks: list(),
    });
    const back = after(registration({ platformType: 'none' }));
    expect(when(back, revise({ userManagedNetworking: false })).state.settings.platformType).toBe('baremetal');
  });

  it.each<[string, boolean, Plain<ClusterSettings>, string, boolean]>([
    ['user-managed networking', false, { userManagedNetworking: true }, 'vsphere', true],
    ['its own platform', true, { platformType: 'vsphere' }, 'vsphere', true],
    ['cluster-managed networking', true, { userManagedNetworking: false }, 'vsphere', false],
    ['platform baremetal', true, { platformType: 'baremetal' }, 'baremetal', false],
    ['platform none', false, { platformType: 'none' }, 'none', true],
  ])(
    'of a vSphere cluster to %s changes only what does not fit (user-managed before: %s)',
    (_, before, changes, ...expected) => {
      const cluster = after(registration({ platformType: 'vsphere', userManagedNetworking: before }));
      const { settings } = when(cluster, revise(changes)).state;
      expect([settings.platformType, settings.userManagedNetworking]).toEqual(expected);
    },
  );

  it('from platform none to vSphere keeps the networking of the user', () => {
    const { settings } = when(after(registration({ platformType: 'none' })), revise({ platformType: 'vsphere' })).state;
    expect(settings).toMatchObject({ platformType: 'vsphere', userManagedNetworking: true });
  });
});
