import { type Machine, runStep } from '@muster/service-agent';
import { generateHardware } from '../hardware/hardware';
import { createSimulatedTimer } from '../timer';
import { createSimulatedWorld } from '../world/simulated-cluster';
import { createSimulatedNetwork } from '../world/simulated-network';
import { createAbilities } from './simulated-abilities';

const HOST_ID = '10000000-0000-4000-8000-000000000001';
const never = new AbortController().signal;
const hardware = generateHardware({ seed: 'a', hostname: 'a', address: '192.0.2.20/24', gateway: '192.0.2.1' });

describe('a simulated machine', () => {
  const network = createSimulatedNetwork({ 'extra.example': ['192.0.2.99', '2001:db8::99'] });
  let isUp = true;
  network.attach({ address: '192.0.2.21', mac: '52:54:00:aa:00:21', isUp: () => isUp });
  const machine: Machine = {
    abilities: createAbilities({
      seed: 'a',
      timer: createSimulatedTimer({ timeScale: 100_000 }),
      network,
      world: createSimulatedWorld(),
      inventory: () => hardware.inventory,
    }),
    identity: async () => ({ ...hardware.identity, bootId: '' }),
    isMediaReadable: async () => true,
    isInstalling: async () => false,
  };
  const run = async (type: string, ...args: unknown[]) => {
    const texts = args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg)));
    const { exitCode, output, error } = await runStep(machine, type, texts, never);
    return { exitCode, error, output: output ? (JSON.parse(output) as unknown) : undefined };
  };
  beforeEach(() => {
    isUp = true;
  });
  const other = (mac: string) => [{ host_id: HOST_ID, nics: [{ name: 'e', mac, ip_addresses: ['192.0.2.21'] }] }];

  it('reaches a machine that is switched on, and no other one', async () => {
    const reached = await run('connectivity-check', other('52:54:00:AA:00:21'));
    expect(reached.output).toMatchObject({
      remote_hosts: [
        {
          l2_connectivity: [{ remote_mac: '52:54:00:aa:00:21', successful: true, outgoing_ip_address: '192.0.2.20' }],
          l3_connectivity: [{ remote_ip_address: '192.0.2.21', successful: true }],
        },
      ],
    });
    expect(await run('connectivity-check', other('52:54:00:AA:00:21'))).toEqual(reached);
    isUp = false;
    expect((await run('connectivity-check', other('52:54:00:AA:00:21'))).output).toMatchObject({
      remote_hosts: [{ l2_connectivity: [], l3_connectivity: [{ packet_loss_percentage: 100 }] }],
    });
  });

  it('detects that several machines use one address', async () => {
    expect((await run('connectivity-check', other('52:54:00:00:00:01'))).output).toMatchObject({
      remote_hosts: [{ l2_connectivity: [{ successful: false }] }],
    });
  });

  it('reports addresses and VIPs as free unless a machine uses them', async () => {
    const { output } = await run('free-network-addresses', ['192.0.2.0/24']);
    const [{ free_addresses }] = output as [{ free_addresses: string[] }];
    expect(free_addresses).toHaveLength(255);
    expect(free_addresses).not.toContain('192.0.2.21');
    const vips = [
      { vip: '192.0.2.21', vip_type: 'api' },
      { vip: '192.0.2.22', vip_type: 'ingress' },
    ];
    expect((await run('verify-vips', vips)).output).toEqual([
      { ...vips[0], verification: 'failed' },
      { ...vips[1], verification: 'succeeded' },
    ]);
  });

  it('resolves the names of the cluster and no wildcard', async () => {
    const domains = [
      'api.c.example',
      'console-openshift-console.apps.c.example',
      'validateNoWildcardDNS.c.example.',
      'extra.example',
    ];
    const { output } = await run('domain-resolution', { domains: domains.map((domain_name) => ({ domain_name })) });
    const { resolutions } = output as { resolutions: { ipv4_addresses: string[]; ipv6_addresses: string[] }[] };
    expect(resolutions.map(({ ipv4_addresses }) => ipv4_addresses.length)).toEqual([1, 1, 0, 1]);
    expect(resolutions[3]?.ipv6_addresses).toEqual(['2001:db8::99']);
  });

  it('measures only its own disks, and returns the path', async () => {
    const disk = hardware.inventory.disks.find((one) => one.installation_eligibility.eligible)?.id ?? '';
    expect((await run('installation-disk-speed-check', { path: disk }, '480.00')).output).toMatchObject({ path: disk });
    expect(await run('installation-disk-speed-check', { path: '/dev/none' }, '480.00')).toMatchObject({ exitCode: -1 });
  });

  it('has synchronized time and can pull every image', async () => {
    expect((await run('ntp-synchronizer', { ntp_source: 't1,t2' })).output).toEqual({
      ntp_sources: [
        { source_name: 't1', source_state: 'synced' },
        { source_name: 't2', source_state: 'combined' },
      ],
    });
    const { exitCode, output } = await run('container-image-availability', { images: ['quay.io/a'], timeout: 960 });
    expect(exitCode).toBe(0);
    expect(output).toMatchObject({ images: [{ name: 'quay.io/a', result: 'success' }] });
  });
});
