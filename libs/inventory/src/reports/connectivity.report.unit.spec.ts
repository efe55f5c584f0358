import type { EventData } from '@muster/contracts';
import { inventoryDecider, isPartial, type ReportedState } from '../reports-decider';
import { toDataUrl } from '@muster/ignition-config';
import { SAMPLE_HOST_KEY } from '@muster/testing';
import { connectivityReader } from './connectivity.report';
import { readWorkerIgnition } from './endpoint.reports';

interface Way {
  readonly rtt?: number;
  readonly loss?: number;
  readonly successful?: boolean;
}
const remote = (
  host_id: string,
  { rtt = 1, loss = 0, successful = true }: Way = {},
  macs: readonly string[] = ['02:aa'],
) => ({
  host_id,
  l2_connectivity: macs.map((remote_mac) => ({
    outgoing_nic: 'ens3',
    remote_ip_address: '10.0.0.1',
    remote_mac,
    successful,
  })),
  l3_connectivity: [
    {
      outgoing_nic: 'ens3',
      remote_ip_address: '10.0.0.1',
      successful,
      average_rtt_ms: rtt,
      packet_loss_percentage: loss,
    },
  ],
});

function report(state: ReportedState, ...remote_hosts: readonly object[]) {
  const output = JSON.stringify({ remote_hosts });
  const result = connectivityReader.read(
    { hostKey: SAMPLE_HOST_KEY, output, error: '', exitCode: 0, generation: 1 },
    (text) => text,
  );
  if (result.kind !== 'read') throw new Error(result.violation.reason);
  const { event } = result.report;
  const decision = inventoryDecider.decide({ type: 'RecordReport', event }, state);
  const events = decision.kind === 'accepted' ? decision.events : [];
  return {
    state: events.reduce((known, one) => inventoryDecider.evolve(known, one), state),
    stored: events[0]?.data as EventData<'ConnectivityReported'> | undefined,
  };
}

describe('connectivity of hosts', () => {
  const start = inventoryDecider.initialState();
  const first = report(start, remote('a'), remote('b'));

  it('has a path that loses full-size packets also when the agent omits false', () => {
    const path = (remote_ip_address: string, mtu_successful?: boolean) => ({
      outgoing_nic: 'ens3',
      remote_ip_address,
      mtu_successful,
    });
    const mtu_report = [path('10.0.0.1', true), path('10.0.0.2', false), path('10.0.0.3')];
    expect(report(start, { ...remote('a'), mtu_report }).stored?.mtuFailures).toEqual([
      { nic: 'ens3', remoteAddress: '10.0.0.2' },
      { nic: 'ens3', remoteAddress: '10.0.0.3' },
    ]);
  });

  it('is stored completely once and as changes afterwards', () => {
    expect(first.stored?.peers.map(({ hostId }) => hostId)).toEqual(['a', 'b']);
    const second = report(first.state, remote('a'), remote('b', { successful: false, loss: 100 }), remote('c'));
    expect(second.stored?.peers).toMatchObject([
      { hostId: 'b', nearAddresses: [], farAddresses: [], packetLossPercent: 0 },
      { hostId: 'c', nearAddresses: ['10.0.0.1'], farAddresses: ['10.0.0.1'] },
    ]);
    const third = report(second.state, remote('c'), remote('a'));
    expect(third.stored).toMatchObject({ peers: [], vanishedPeers: ['b'] });
  });

  it('is stored in one append when many entries are about one host, of which the last one counts', () => {
    const many = Array.from({ length: 400 }, (_, n) => ({
      host_id: 'a',
      l3_connectivity: Array.from({ length: 64 }, (_empty, index) => ({
        remote_ip_address: `${n}.${index}`.padEnd(64, '0'),
        successful: true,
      })),
    }));
    const { state, stored } = report(start, ...many, remote('a', { rtt: 7 }));
    expect(stored?.peers).toMatchObject([{ hostId: 'a', farAddresses: ['10.0.0.1'], latencyMs: 7 }]);
    expect(isPartial(state)).toBe(false);
    expect(report(state, ...many, remote('a', { rtt: 7 })).stored).toBeUndefined();
  });

  it('does not change while latency and loss stay in their class', () => {
    expect(report(first.state, remote('a', { rtt: 9.5 }), remote('b')).stored).toBeUndefined();
    const slow = report(first.state, remote('a', { rtt: 100.4 }), remote('b'));
    expect(slow.stored?.peers).toMatchObject([{ hostId: 'a', latencyMs: 100.4 }]);
    expect(report(slow.state, remote('a', { rtt: 180 }), remote('b')).stored).toBeUndefined();
    expect(report(first.state, remote('a', { loss: 1 }), remote('b')).stored?.peers).toHaveLength(1);
  });

  it.each([
    ['without a loss, as agents of v2 report it', undefined],
    ['with a loss of 100 %', 100],
  ])('measures only the paths to addresses that answer, when an address is reported %s', (_how, loss) => {
    const peer = remote('a', { rtt: 3, loss: 1 });
    const silent = { outgoing_nic: 'ens3', remote_ip_address: '10.9.0.1', packet_loss_percentage: loss };
    const { stored } = report(start, { ...peer, l3_connectivity: [...peer.l3_connectivity, silent] });
    expect(stored?.peers).toMatchObject([{ farAddresses: ['10.0.0.1'], latencyMs: 3, packetLossPercent: 1 }]);
  });

  it('takes the path that reaches an address', () => {
    const peer = remote('a', { loss: 10 });
    const lost = { outgoing_nic: 'ens4', remote_ip_address: '10.0.0.1' };
    const { stored } = report(start, { ...peer, l3_connectivity: [lost, ...peer.l3_connectivity, lost] });
    expect(stored?.peers).toMatchObject([{ farAddresses: ['10.0.0.1'], packetLossPercent: 10 }]);
  });

  it.each<[string, string, (n: number) => string]>([
    ['of a second network', '192.168.7.5', (n) => `10.0.0.${n}`],
    ['of a second family', 'fd00::5', (n) => `10.0.${n}.1`],
  ])('keeps the address %s when a host has more addresses than are stored', (_case, other, addressOf) => {
    const addresses = [...Array.from({ length: 100 }, (_, n) => addressOf(n)), other];
    const peer = {
      host_id: 'a',
      l2_connectivity: addresses.map((remote_ip_address) => ({ remote_ip_address, successful: true })),
      l3_connectivity: addresses.map((remote_ip_address) => ({ remote_ip_address, successful: true })),
    };
    const { stored } = report(start, peer);
    const [reach] = stored?.peers ?? [];
    expect(reach?.farAddresses).toContain(other);
    expect(reach?.nearAddresses).toEqual(reach?.farAddresses);
    expect(reach?.farAddresses).toEqual([...(reach?.farAddresses ?? [])].sort());
    expect(reach?.farAddresses).toHaveLength(64);
  });

  it('includes addresses that several machines use', () => {
    const { stored } = report(start, remote('a', {}, ['02:AA', '02:bb']), remote('b', {}, ['02:aa']));
    expect(stored?.collisions).toEqual([{ address: '10.0.0.1', macAddresses: ['02:aa', '02:bb'] }]);
  });

  // Agents sort the paths by address only. Those of several network cards are in the order in which their checks end.
  it('does not change while the paths from several network cards are in another order', () => {
    const path = (outgoing_nic: string, mtu_successful: boolean) => ({
      outgoing_nic,
      remote_ip_address: '10.0.0.2',
      mtu_successful,
    });
    const [fast, slow, lossy] = [path('ens3', true), path('ens4', true), path('ens4', false)];
    const before = report(start, { ...remote('a'), mtu_report: [fast, slow] });
    expect(report(before.state, { ...remote('a'), mtu_report: [slow, fast] }).stored).toBeUndefined();
    expect(report(before.state, { ...remote('a'), mtu_report: [lossy, fast] }).stored?.mtuFailures).toHaveLength(1);
  });

  it('does not change while the answers of several machines are in another order', () => {
    const answer = (outgoing_nic: string, remote_mac: string) => ({
      outgoing_nic,
      remote_ip_address: '10.0.0.1',
      remote_mac,
    });
    const near = ['02:aa', '02:bb'].map((mac) => answer('ens3', mac));
    const other = ['02:aa', '02:cc'].map((mac) => answer('ens4', mac));
    const before = report(start, { host_id: 'a', l2_connectivity: [...near, ...other] });
    const after = report(before.state, { host_id: 'a', l2_connectivity: [...other, ...near] });
    expect(before.stored?.collisions).toHaveLength(2);
    expect(after.stored).toBeUndefined();
  });

  it('is stored again after the report was cleared', () => {
    const cleared = inventoryDecider.evolve(first.state, {
      type: 'ReportCleared',
      data: { stepType: 'connectivity-check', generation: 1 },
    });
    expect(report(cleared, remote('a'), remote('b')).stored?.peers).toHaveLength(2);
  });
});

describe('worker Ignition config of an installed cluster', () => {
  const withLuks = (clevis?: object | null): string => JSON.stringify({ storage: { luks: [{ clevis }] } });
  it.each([
    ['no LUKS device', '{}', 'none'],
    ['LUKS with a passphrase', withLuks(), 'none'],
    ['LUKS with an absent binding', withLuks(null), 'none'],
    ['TPM', withLuks({ tpm2: true }), 'tpm2'],
    ['Tang', withLuks({ tang: [{ url: 'http://t' }] }), 'tang'],
    ['neither', withLuks({ threshold: 1 }), 'other'],
    ['text that is not JSON', '<html>', ''],
  ])('contains the disk encryption: %s', (_case, text, diskEncryption) => {
    expect(readWorkerIgnition(text).diskEncryption).toBe(diskEncryption);
  });

  it('contains the valid Tang servers only', () => {
    const server = { url: 'http://t', thumbprint: 'x' };
    const tang = [{ ...server, secret: 's' }, { url: 7 }, { url: 'u'.repeat(5_000), thumbprint: 'x' }];
    expect(readWorkerIgnition(withLuks({ tang })).tangServers).toBe(JSON.stringify([server]));
    expect(readWorkerIgnition(withLuks({ tpm2: true })).tangServers).toBeUndefined();
  });

  it('contains the operating system image of its machine config', () => {
    const withConfig = (source: string): string =>
      JSON.stringify({
        storage: { files: [{ path: '/etc/ignition-machine-config-encapsulated.json', contents: { source } }] },
      });
    const config = JSON.stringify({ spec: { osImageURL: 'quay.io/coreos@sha256:1' } });
    for (const source of [`data:,${encodeURIComponent(config)}`, `data:;base64,${btoa(config)}`])
      expect(readWorkerIgnition(withConfig(source)).osImageUrl).toBe('quay.io/coreos@sha256:1');
    for (const source of ['data:,x', 'data:,{}', `data:,{"spec":{"osImageURL":"${'u'.repeat(5_000)}"}}`])
      expect(readWorkerIgnition(withConfig(source))).not.toHaveProperty('osImageUrl');
  });

  it('contains the load balancing', () => {
    const files = [{ path: '/etc/kubernetes/manifests/keepalived.yaml' }];
    expect(readWorkerIgnition(JSON.stringify({ storage: { files } })).networking).toBe('managed');
    expect(readWorkerIgnition('{"storage":{"files":[null,3]}}').networking).toBe('user-managed');
  });

  it.each([
    ['an IPv4 address', 'https://192.0.2.5:6443', 'managed'],
    ['an IPv6 address', 'https://[2001:db8::5]:6443', 'managed'],
    ['a name', 'https://api-int.lab.example.com:6443', 'user-managed'],
    ['no URL', '192.0.2.5', 'user-managed'],
  ])('contains the load balancing when the kubeconfig of the kubelet has %s', (_case, server, networking) => {
    const kubeconfig = `apiVersion: v1\nclusters:\n- cluster:\n    server: ${server}\n  name: local\n`;
    for (const source of [toDataUrl(kubeconfig), `data:,${encodeURIComponent(kubeconfig)}`]) {
      const files = [{ path: '/etc/kubernetes/kubeconfig', contents: { source } }];
      expect(readWorkerIgnition(JSON.stringify({ storage: { files } })).networking).toBe(networking);
    }
  });
});
