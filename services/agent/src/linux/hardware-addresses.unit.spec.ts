import { hostIdOf } from '../machine/machine.port';
import type { MachineFiles } from './machine-files';
import { permanentMacs, readInterfaces } from './network';

const ADDRESSES: { readonly [name: string]: string } = {
  eth0: '52:54:00:00:00:01',
  gre1: 'c0:a8:00:05',
  ib0: '80:00:02:08:fe:80:00:00:00:00:00:00:e4:1d:2d:03:00:a5:f1:b1',
  ip6tnl0: '00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00',
  lo: '00:00:00:00:00:00',
  tun0: '',
  tunl0: '00:00:00:00',
};
const files: MachineFiles = {
  text: (path) => (path.endsWith('/address') ? ADDRESSES[path.split('/').at(-2) ?? ''] : undefined),
  bytes: () => undefined,
  firstBytes: async () => undefined,
  resolved: () => undefined,
  link: () => undefined,
  exists: () => true,
  list: () => Object.keys(ADDRESSES),
};

describe('the MAC addresses of a machine', () => {
  it('do not include those of tunnels, which are the IP addresses of their ends', () => {
    expect(permanentMacs(files)).toEqual([ADDRESSES['eth0'], ADDRESSES['ib0']]);
    const macs = readInterfaces(files, {}).flatMap(({ mac_address }) => mac_address ?? []);
    expect(macs).toEqual([ADDRESSES['eth0'], ADDRESSES['ib0']]);
  });

  /** The kernel has chosen the addresses of these interfaces at random, and chooses others at the next boot. */
  const withRandom = (...names: readonly string[]): readonly string[] =>
    permanentMacs({
      ...files,
      text: (path) => {
        const [file, name = ''] = path.split('/').reverse();
        return file === 'addr_assign_type' ? (names.includes(name) ? '1' : '0') : files.text(path);
      },
    });

  it('identify the machine only when they stay the same after a restart', () => {
    expect(withRandom('eth0')).toEqual([ADDRESSES['ib0']]);
    expect(withRandom('ib0')).toEqual([ADDRESSES['eth0']]);
  });

  it('identify the machine while it runs when it has no others', () => {
    expect(withRandom('eth0', 'ib0')).toEqual([ADDRESSES['eth0'], ADDRESSES['ib0']]);
  });

  it('give machines with a tunnel and without a serial number different ids', () => {
    const unknown = { baseboardSerial: '', systemUuid: '', systemSerial: '', bootId: '' };
    const tunnelOnly = { ...files, list: () => ['tunl0'] };
    expect(hostIdOf({ ...unknown, macAddresses: permanentMacs(files) })).not.toBe(
      hostIdOf({ ...unknown, macAddresses: ['00:00:00:00'] }),
    );
    expect(permanentMacs(tunnelOnly)).toEqual([]);
  });
});
