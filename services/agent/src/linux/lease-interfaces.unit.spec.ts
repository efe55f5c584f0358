import type { MachineFiles } from './machine-files';
import { permanentMacs, readInterfaces, readRoutes } from './network';

const route = (device: string): string =>
  `fe800000000000000000000000000000 40 ${'0'.repeat(32)} 00 ${'0'.repeat(32)} 00000100 00000001 00000000 00000001 ${device}`;

/** The folder of each interface in /sys/devices. */
const machineWith = (devices: { readonly [name: string]: string }): MachineFiles => ({
  text: (path) => {
    if (path === '/proc/net/ipv6_route') return Object.keys(devices).map(route).join('\n');
    return path.endsWith('/address') ? '00:1a:4a:00:00:01' : undefined;
  },
  bytes: () => undefined,
  firstBytes: async () => undefined,
  resolved: (path) => `/sys/devices/${devices[path.split('/').at(-1) ?? '']}`,
  link: () => undefined,
  exists: () => true,
  list: () => Object.keys(devices),
});
const foundOn = (files: MachineFiles) => ({
  interfaces: readInterfaces(files, {}).map(({ name }) => name),
  routes: readRoutes(files, 'x86_64').map(({ interface: name }) => name),
  macs: permanentMacs(files).length,
});

describe('the interfaces that request DHCP leases for the VIPs', () => {
  it('do not belong to the machine, because its inventory would change with each lease', () => {
    const devices = { api: 'virtual/net/api', eno1: 'pci/net/eno1', ingress: 'virtual/net/ingress' };
    expect(foundOn(machineWith(devices))).toEqual({ interfaces: ['eno1'], routes: ['eno1'], macs: 1 });
  });

  it('are not mistaken for a network card of the same name', () => {
    expect(foundOn(machineWith({ api: 'pci/net/api' }))).toEqual({ interfaces: ['api'], routes: ['api'], macs: 1 });
  });
});
