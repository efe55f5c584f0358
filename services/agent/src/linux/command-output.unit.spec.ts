import { setImmediate } from 'node:timers/promises';
import type { Interface } from '../machine/inventory';
import { execute, ProgramMissing, type RunCommand } from './command';
import { checkConnectivity, parseArping, parsePing } from './connectivity-check';
import { allocateLeases } from './dhcp-leases';
import { addressesIfAny, parseChronySources, resolveDomains, synchronizeTime } from './service-checks';

const PING = `PING 192.0.2.7 (192.0.2.7) 56(84) bytes of data.

--- 192.0.2.7 ping statistics ---
10 packets transmitted, 9 received, 10% packet loss, time 9006ms
rtt min/avg/max/mdev = 0.118/0.206/0.311/0.060 ms
`;
const NO_PING = PING.replace('9 received, 10%', '0 received, 100%').replace(/^rtt.*$/m, '');
const ARPING = `ARPING 192.0.2.7 from 192.0.2.2 eth0
Unicast reply from 192.0.2.7 [52:54:00:AA:00:01]  0.713ms
Unicast reply from 192.0.2.7 [52:54:00:AA:00:02]  0.713ms
Unicast reply from 192.0.2.7 [52:54:00:AA:00:01]  0.713ms
Sent 3 probes (1 broadcast(s))
`;
const SOURCES = `MS Name/IP address         Stratum Poll Reach LastRx Last sample
===============================================================================
^* 192.0.2.123                   2   6    17    24   +41us[ +133us] +/- 15ms
^+ 192.0.2.124                   2   6    17    24   +41us[ +133us] +/- 15ms
^- 192.0.2.125                   2   6    17    24   +41us[ +133us] +/- 15ms
^? 192.0.2.126                   0   6     0     -     +0ns[   +0ns] +/- 0ns
^x 192.0.2.127                   2   6    17    24   +41us[ +133us] +/- 15ms
`;
const never = new AbortController().signal;

describe('the output of ping and arping', () => {
  it('is parsed to packet loss and round-trip time', () => {
    expect(parsePing(PING)).toEqual({ lossPercent: 10, averageMs: 0.206 });
    expect(parsePing(NO_PING)).toEqual({ lossPercent: 100 });
    expect(parsePing('ping: unknown host')).toBeUndefined();
  });

  it('is parsed to unique hardware addresses, so that two of them show a conflict', () => {
    expect(parseArping(ARPING)).toEqual({ fromAddress: '192.0.2.2', macs: ['52:54:00:AA:00:01', '52:54:00:AA:00:02'] });
    expect(parseArping('arping: interface eth9 not found')).toBeUndefined();
  });
});

const noNeighbours = { find: async () => [] };

describe('a connectivity check', () => {
  const card = (name: string, cidr: string, mtu = 1500): Interface => ({
    name,
    flags: [],
    ipv4_addresses: [cidr],
    ipv6_addresses: [],
    mtu,
    type: 'physical',
  });
  const hosts = [{ hostId: 'b', nics: [{ name: 'eth0', mac: '52:54:00:aa:00:01', addresses: ['192.0.2.7'] }] }];

  it.each([
    [100, 100],
    [1_000, 256],
  ])('of %i addresses runs %i programs at the same time', async (count, expected) => {
    let [running, runningMax] = [0, 0];
    const run: RunCommand = async () => {
      running += 1;
      runningMax = Math.max(runningMax, running);
      await setImmediate();
      running -= 1;
      return { exitCode: 0, stdout: PING };
    };
    const addresses = Array.from({ length: count }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
    const remote = [{ hostId: 'b', nics: [{ name: 'eth0', mac: '', addresses }] }];
    const { remote_hosts } = await checkConnectivity(remote, [], run, noNeighbours, never);
    expect(remote_hosts[0]?.l3_connectivity).toHaveLength(count);
    expect(runningMax).toBe(expected);
  });

  it('sends ARP requests only in the network of the address, and reports each answer', async () => {
    const asked: string[] = [];
    const run: RunCommand = async (program, args) => {
      asked.push([program, ...args].join(' '));
      return { exitCode: 0, stdout: program === 'ping' ? PING : ARPING };
    };
    const cards = [card('eth0', '192.0.2.2/24'), card('eth1', '198.51.100.2/24')];
    expect(await checkConnectivity(hosts, cards, run, noNeighbours, never)).toEqual({
      remote_hosts: [
        {
          host_id: 'b',
          l2_connectivity: [
            ['52:54:00:aa:00:01', true],
            ['52:54:00:aa:00:02', false],
          ].map(([remote_mac, successful]) => ({
            outgoing_ip_address: '192.0.2.2',
            outgoing_nic: 'eth0',
            remote_ip_address: '192.0.2.7',
            remote_mac,
            successful,
          })),
          l3_connectivity: [
            { average_rtt_ms: 0.206, packet_loss_percentage: 10, remote_ip_address: '192.0.2.7', successful: true },
          ],
          mtu_report: [],
        },
      ],
    });
    expect(asked.sort()).toEqual(['arping -c 10 -w 5 -I eth0 192.0.2.7', 'ping -c 10 -W 3 -q 192.0.2.7']);
  });

  it('sends packets of full size when the MTU is not the default', async () => {
    const run: RunCommand = async (_program, args) => ({ exitCode: args.includes('-M') ? 1 : 0, stdout: PING });
    const { remote_hosts } = await checkConnectivity(
      hosts,
      [card('eth0', '198.51.100.2/24', 9000)],
      run,
      noNeighbours,
      never,
    );
    expect(remote_hosts[0]?.mtu_report).toEqual([
      { mtu_successful: false, outgoing_nic: 'eth0', remote_ip_address: '192.0.2.7' },
    ]);
  });

  it('uses the neighbour table when arping is missing', async () => {
    const run: RunCommand = async (program) => {
      if (program === 'arping') throw new ProgramMissing(program);
      return { exitCode: 0, stdout: '' };
    };
    const probe = {
      find: async () => [{ address: '198.51.100.3', interface: 'eth0', mac: '52:54:00:00:00:02' }],
    };
    const remote = [{ hostId: 'h', nics: [{ name: 'a', mac: '52:54:00:00:00:02', addresses: ['198.51.100.3'] }] }];
    const { remote_hosts } = await checkConnectivity(remote, [card('eth0', '198.51.100.2/24')], run, probe, never);
    expect(remote_hosts[0]?.l2_connectivity).toEqual([
      {
        outgoing_ip_address: '198.51.100.2',
        outgoing_nic: 'eth0',
        remote_ip_address: '198.51.100.3',
        remote_mac: '52:54:00:00:00:02',
        successful: true,
      },
    ]);
  });

  it('reports an address that did not answer', async () => {
    const run: RunCommand = async () => ({ exitCode: 1, stdout: NO_PING });
    const { remote_hosts } = await checkConnectivity(hosts, [], run, noNeighbours, never);
    expect(remote_hosts[0]?.l3_connectivity).toEqual([{ remote_ip_address: '192.0.2.7' }]);
  });
});

describe('time sources', () => {
  it('are reported with their state', () => {
    expect(parseChronySources(SOURCES).ntp_sources.map(({ source_state }) => source_state)).toEqual([
      'synced',
      'combined',
      'not_combined',
      'unreachable',
      'error',
    ]);
  });

  /** Runs one check after the other. Returns the sources that are added. `answers`: the addresses of a name. */
  const addedBy = async (
    checks: readonly (readonly string[])[],
    answers: readonly string[],
    exitCode = 0,
  ): Promise<readonly string[]> => {
    const lines: string[] = [];
    const run: RunCommand = async (_program, args) => {
      if (args[0] === 'add') lines.push(args.join(' '));
      return { exitCode: args[0] === 'add' ? exitCode : 0, stdout: SOURCES };
    };
    const lookup = { addresses: async () => answers.map((address) => ({ address, family: 4 })) };
    const memory = { added: new Set<string>(), listed: 0 };
    for (const sources of checks) await synchronizeTime({ sources, memory }, lookup, run, never);
    return lines;
  };
  const ADD = 'add server time.example iburst';

  it('are added when chrony does not have them, and then listed', async () => {
    const asked: string[] = [];
    const run: RunCommand = async (_program, args) => (asked.push(args.join(' ')), { exitCode: 0, stdout: SOURCES });
    const lookup = { addresses: async () => [] };
    const memory = { added: new Set<string>(), listed: 0 };
    await synchronizeTime({ sources: ['192.0.2.123', 'time.example'], memory }, lookup, run, never);
    expect(asked).toEqual(['-n sources', ADD, '-n sources']);
  });

  it('are added while their name cannot be resolved, because chrony resolves it again', async () => {
    const asked: string[] = [];
    const run: RunCommand = async (_program, args) => (asked.push(args.join(' ')), { exitCode: 0, stdout: SOURCES });
    const lookup = { addresses: () => Promise.reject(new Error('getaddrinfo EAI_AGAIN time.example')) };
    const memory = { added: new Set<string>(), listed: 0 };
    await synchronizeTime({ sources: ['time.example'], memory }, lookup, run, never);
    expect(asked).toEqual(['-n sources', ADD, '-n sources']);
  });

  it('are not added when chrony has an address of their name', async () => {
    expect(await addedBy([['time.example']], ['198.51.100.1', '192.0.2.124'])).toEqual([]);
  });

  it('are added once, although their name has another address at each check', async () => {
    expect(await addedBy([['time.example'], ['time.example']], ['198.51.100.1'])).toEqual([ADD]);
  });

  it('are added again when chrony was restarted, because it keeps only those of its file', async () => {
    const ofFile = ['^* 192.0.2.1'];
    let listed = [...ofFile];
    const run: RunCommand = async (_program, args) => {
      if (args[0] === 'add') listed.push('^? 198.51.100.7');
      return { exitCode: 0, stdout: listed.join('\n') };
    };
    // The name has another address at each lookup.
    const lookup = { addresses: async () => [{ address: '198.51.100.8', family: 4 }] };
    const memory = { added: new Set<string>(), listed: 0 };
    const check = async (): Promise<number> => {
      const report = await synchronizeTime({ sources: ['time.example'], memory }, lookup, run, never);
      return report.ntp_sources.length;
    };
    expect([await check(), await check()]).toEqual([2, 2]);
    listed = [...ofFile];
    expect([await check(), await check()]).toEqual([2, 2]);
  });

  it('are not reported as none when chrony does not run', async () => {
    const run: RunCommand = async () => ({ exitCode: 1, stdout: '506 Cannot talk to daemon\n' });
    const memory = { added: new Set<string>(), listed: 0 };
    const lookup = { addresses: async () => [] };
    await expect(synchronizeTime({ sources: ['192.0.2.1'], memory }, lookup, run, never)).rejects.toThrow(
      '"chronyc -n sources" ended with exit code 1: 506 Cannot talk to daemon',
    );
  });

  it('are added again when chrony refused them', async () => {
    expect(await addedBy([['time.example'], ['time.example']], ['198.51.100.1'], 1)).toEqual([ADD, ADD]);
  });
});

it('a DHCP lease leaves no interface when the agent ends meanwhile', async () => {
  const ending = new AbortController();
  const completed: string[] = [];
  const run: RunCommand = async (program, args, { aborted }) => {
    if (program === 'dhclient') ending.abort();
    if (aborted) return { exitCode: -1, stdout: '' };
    completed.push([program, ...args].join(' '));
    return { exitCode: program === 'dhclient' ? -1 : 0, stdout: '' };
  };
  const [api, ingress] = ['00:1a:4a:00:00:01', '00:1a:4a:00:00:02'];
  const order = { interface: 'eno1', apiVipMac: api, ingressVipMac: ingress, apiVipLease: '', ingressVipLease: '' };
  await expect(allocateLeases(order, run, ending.signal)).rejects.toThrow('"dhclient ');
  expect(completed.at(-1)).toBe('ip link delete api');
});

describe('the addresses of a domain', () => {
  const resolvedAfter = (code: string) => {
    const error = Object.assign(new Error(`getaddrinfo ${code} api.example`), { code });
    const addresses = () => addressesIfAny(Promise.reject(error));
    return resolveDomains(['api.example'], { addresses, canonicalNames: async () => [] }, new Map());
  };

  it('are none when the name does not exist', async () => {
    const none = { domain_name: 'api.example', ipv4_addresses: [], ipv6_addresses: [], cnames: [] };
    expect(await resolvedAfter('ENOTFOUND')).toEqual({ resolutions: [none] });
  });

  it.each(['EAI_AGAIN', 'EAI_FAIL'])('are not reported when DNS fails with %s', async (code) => {
    await expect(resolvedAfter(code)).rejects.toThrow(code);
  });
});

it('the reason of a failed program has its last lines within the 500 characters that the service shows', async () => {
  const stderr = `${'DHCPDISCOVER on api to 255.255.255.255 port 67 interval 3\n'.repeat(20)}No DHCPOFFERS received.\n`;
  const run: RunCommand = async () => ({ exitCode: 2, stdout: '', stderr });
  const failed = execute(run, 'dhclient', ['-v', '-1', 'api'], new AbortController().signal);
  const message = await failed.catch((error: Error) => error.message);
  expect(message).toMatch(/^"dhclient -v -1 api" ended with exit code 2: [^]*\nNo DHCPOFFERS received\.$/);
  expect(message).toHaveLength(500);
});
