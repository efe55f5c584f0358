import { linuxMachine } from './linux-machine';
import { recorded, step } from './recorded-commands.fixture.spec';

describe('an IPv6 VIP that a user did not write in its shortest form', () => {
  const VIPS = ['FD00:0:0::AAAA', 'fd00::bbbb'].map((vip) => ({ vip, vip_type: 'api' }));
  const FOUND = [
    { vip: 'FD00:0:0::AAAA', vip_type: 'api', verification: 'failed' },
    { vip: 'fd00::bbbb', vip_type: 'api', verification: 'succeeded' },
  ];

  it('is found by nmap', async () => {
    const xml = '<host><status state="up"/><address addr="fd00::aaaa" addrtype="ipv6"/></host>';
    const { run } = recorded({ nmap: '', 'nmap -6 -sn -n -oX - fd00::aaaa': xml, 'nmap -6 -sn -n -oX - FD00': xml });
    const machine = linuxMachine({ run, probe: { find: async () => [] } });
    expect((await step(machine, 'verify-vips', VIPS)).result).toEqual(FOUND);
  });

  it('is found in the neighbour table', async () => {
    const { run } = recorded({ ping: { exitCode: 1 } });
    const neighbour = { address: 'fd00::aaaa', interface: 'eno1', mac: '52:54:00:00:00:09' };
    const find = async (asked: readonly string[]) => (asked.includes('fd00::aaaa') ? [neighbour] : []);
    const machine = linuxMachine({ run, probe: { find } });
    expect((await step(machine, 'verify-vips', VIPS)).result).toEqual(FOUND);
  });
});
