import { linuxMachine } from './linux-machine';
import { recorded, step } from './recorded-commands.fixture.spec';

it('the addresses of the machine itself are not free, although its neighbour table does not contain them', async () => {
  const own = { address: '192.0.2.2', netmask: '', family: 'IPv4', mac: '', internal: false, cidr: null } as const;
  const probe = { find: async () => [{ address: '192.0.2.1', interface: 'eno1', mac: '52:54:00:00:00:09' }] };
  const machine = linuxMachine({ ...recorded({}), probe, addresses: () => ({ eno1: [own] }) });
  expect(await step(machine, 'free-network-addresses', ['192.0.2.0/30'])).toMatchObject({
    result: [{ network: '192.0.2.0/30', free_addresses: ['192.0.2.0', '192.0.2.3'] }],
  });
});
