import type { MachineFiles } from './machine-files';
import { readInterfaces } from './network';

const info = (address: string) =>
  ({ address, cidr: `${address}/24`, family: 'IPv4', netmask: '', mac: '', internal: false }) as const;

it('an address with a label of its own belongs to its interface', () => {
  const files: MachineFiles = {
    text: () => undefined,
    bytes: () => undefined,
    firstBytes: async () => undefined,
    resolved: () => undefined,
    link: () => undefined,
    exists: () => true,
    list: () => ['bond0', 'bond0.5', 'bond01'],
  };
  // Node lists such an address by its label, as the kernel returns it.
  const addresses = { bond0: [info('192.0.2.1')], 'bond0:1': [info('192.0.2.9')], 'bond0.5': [info('192.0.2.5')] };
  expect(readInterfaces(files, addresses).map(({ name, ipv4_addresses }) => [name, ipv4_addresses])).toEqual([
    ['bond0', ['192.0.2.1/24', '192.0.2.9/24']],
    ['bond0.5', ['192.0.2.5/24']],
    ['bond01', []],
  ]);
});
