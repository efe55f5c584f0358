import type { NetworkInterface, NetworkState } from './nmstate';
import { mappings, textOf, texts, within } from './read-nmstate';

/** A member of a bond, bridge or VRF, with what its controller says of it. */
export interface Port {
  readonly name: string;
  readonly raw: { readonly [key: string]: unknown };
}

export function portsOf({ type, raw }: NetworkInterface): readonly Port[] {
  switch (type) {
    case 'bond': {
      const bond = within(raw, 'link-aggregation');
      const named = mappings(bond['ports-config']).map((one) => ({ name: textOf(one['name']), raw: one }));
      return named.length > 0 ? named : texts(bond['port']).map((name) => ({ name, raw: {} }));
    }
    case 'vrf':
      return texts(within(raw, 'vrf')['port']).map((name) => ({ name, raw: {} }));
    case 'linux-bridge':
      return mappings(within(raw, 'bridge')['port']).map((one) => ({ name: textOf(one['name']), raw: one }));
    default:
      return [];
  }
}

/** The document's interfaces, then the ports and veth peers that it names without describing them. */
export function withPlainPorts(state: NetworkState): readonly NetworkInterface[] {
  const known = new Set(state.interfaces.map(({ name }) => name));
  const plain = [...new Set(state.interfaces.flatMap(portsOf).map(({ name }) => name))].filter(
    (name) => !known.has(name),
  );
  const ports = plain.map((name, at) => plainPort(name, state.interfaces.length + at));
  return [...state.interfaces, ...ports, ...vethPeers(state, [...known, ...plain])];
}

/** The other ends of veth pairs, where the document does not describe them. */
function vethPeers(state: NetworkState, known: readonly string[]): readonly NetworkInterface[] {
  const described = state.interfaces.filter(({ type }) => type === 'veth');
  return described.flatMap(({ name, raw }) => {
    const peer = textOf(within(raw, 'veth')['peer']);
    if (known.includes(peer)) return [];
    const ipv6 = { ...OFF, raw: { enabled: false } };
    return [{ ...plainPort(peer, known.length), type: 'veth', ipv6, raw: { veth: { peer: name } } }];
  });
}

/** The interface that carries routes and rules which belong to no other one. */
export const loopback = (index: number): NetworkInterface => ({
  ...plainPort('lo', index),
  type: 'loopback',
  ipv4: { ...OFF, isEnabled: true, addresses: ['127.0.0.1/8'] },
  ipv6: { ...OFF, isEnabled: true, addresses: ['::1/128'] },
});

const OFF = { isEnabled: false, isDhcp: false, isAutoconf: false, addresses: [], raw: {} };

const plainPort = (name: string, index: number): NetworkInterface => ({
  index,
  name,
  profileName: '',
  type: 'ethernet',
  state: 'up',
  isFoundByMac: false,
  macAddress: '',
  controller: '',
  ipv4: OFF,
  ipv6: OFF,
  raw: {},
});
