import { createHash } from 'node:crypto';
import { INVENTORY_EVENTS, toStoredData } from '@muster/contracts';
import { createReportReader } from './read-report';
import type { Report } from './report';
import { MAX_MTU_FAILURES } from './reports/connectivity.report';
import { SAMPLE_HOST_KEY, sampleInventory } from '@muster/testing';

const readStep = createReportReader({
  keepsVirtualInterfaces: false,
  digest: (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`,
});
const resultOf = (stepType: string, output: unknown, exitCode = 0, error = '') => {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  return readStep({ stepType, hostKey: SAMPLE_HOST_KEY, output: text, error, exitCode, generation: 1 });
};
const read = (...given: Parameters<typeof resultOf>): Report => {
  const result = resultOf(...given);
  if (result.kind === 'refused') throw new Error(result.refusal.reason);
  return result.report;
};

const GOOD: { readonly [stepType: string]: unknown } = {
  inventory: sampleInventory(),
  'connectivity-check': { remote_hosts: [] },
  'ntp-synchronizer': { ntp_sources: [{ source_name: 'a', source_state: 'synced' }] },
  'clock-offset': { offset_seconds: -3 },
  'installation-disk-speed-check': { path: '/dev/sda', io_sync_duration: 7 },
  'container-image-availability': {
    images: [{ name: 'i', size_bytes: 5, time: 1.5, download_rate: 2.5, result: 'success' }],
  },
  'free-network-addresses': [{ network: '10.0.0.0/24', free_addresses: ['10.0.0.9'] }],
  'domain-resolution': {
    resolutions: [{ domain_name: 'api.c.example.com', ipv4_addresses: ['10.0.0.2', '10.0.0.1'] }],
  },
  'verify-vips': [{ vip: '10.0.0.9', vip_type: 'api', verification: 'succeeded' }],
  'tang-connectivity-check': { is_success: true, tang_server_response: [] },
  'api-vip-connectivity-check': { is_success: true, url: 'http://api:22624', ignition: '{"secret":"canary"}' },
};

const BAD: readonly (readonly [string, unknown, RegExp])[] = [
  [
    'connectivity-check',
    { remote_hosts: [{ l3_connectivity: [{ average_rtt_ms: 'fast' }] }] },
    /remote_hosts\[0\]\.l3_connectivity\[0\]\.average_rtt_ms must be a number/,
  ],
  ['ntp-synchronizer', { ntp_sources: [{ source_state: 'late' }] }, /source_state must be one of synced/],
  ['inventory', { truncation: { type: 'partial' } }, /inventory\.cpu must be an object/],
  ['clock-offset', { offset_seconds: 'now' }, /offset_seconds must be a whole number/],
  ['installation-disk-speed-check', {}, /disk speed report\.path must be the path/],
  [
    'container-image-availability',
    { images: [{ result: 'maybe' }] },
    /images\[0\]\.result must be one of success, failure/,
  ],
  ['container-image-availability', { images: [{ name: 'x'.repeat(1_025) }] }, /name must be at most 1024 characters/],
  ['installation-disk-speed-check', { path: 'x'.repeat(1_025) }, /path must be at most 1024 characters/],
  ['free-network-addresses', [], /a list with at least one network/],
  ['domain-resolution', { resolutions: {} }, /resolutions must be a list/],
  ['verify-vips', { vip: 'x' }, /must be a list/],
  ['tang-connectivity-check', '', /must be a JSON document/],
  ['api-vip-connectivity-check', [], /must be an object/],
];

describe('readReport', () => {
  it('covers every report event, and each event can be stored', () => {
    const types = Object.keys(GOOD).map((stepType) => {
      const { event } = read(stepType, GOOD[stepType]);
      expect(() => toStoredData(event)).not.toThrow();
      return event.type;
    });
    expect([...types, 'ReportCleared', 'StepFailed'].sort()).toEqual(Object.keys(INVENTORY_EVENTS).sort());
  });

  it.each(BAD)('refuses a wrong output of %s with the path', (stepType, output, message) => {
    expect(resultOf(stepType, output)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'invalid-input', reason: expect.stringMatching(message) },
    });
  });

  it('refuses a step type without a report, and an output that is too large', () => {
    expect(resultOf('logs-gather', '')).toMatchObject({ refusal: { allowed: Object.keys(GOOD) } });
    expect(resultOf('ntp-synchronizer', 'x'.repeat(64 * 1024 + 1))).toMatchObject({ refusal: { code: 'too-large' } });
  });

  it('returns paths that lose full-size packets', () => {
    const mtu = (mtu_report: unknown) =>
      read('connectivity-check', { remote_hosts: [{ host_id: 'h', mtu_report }] }).event;
    expect(mtu([])).toMatchObject({ data: { mtuMeasured: true, mtuFailures: [] } });
    expect(read('connectivity-check', { remote_hosts: [] }).event).toMatchObject({ data: { mtuMeasured: false } });
    expect(
      mtu([{ outgoing_nic: 'ens3', remote_ip_address: '10.0.0.2', mtu_successful: false }, { mtu_successful: true }]),
    ).toMatchObject({
      data: { mtuMeasured: true, mtuFailures: [{ nic: 'ens3', remoteAddress: '10.0.0.2' }] },
    });
  });

  it('keeps failed paths of every network card and network, however many paths of another fail', () => {
    const failuresOf = (remote_hosts: unknown) =>
      (read('connectivity-check', { remote_hosts }).event.data as { mtuFailures?: unknown }).mtuFailures;
    const lost = (outgoing_nic: string, ...addresses: string[]) =>
      addresses.map((remote_ip_address) => ({ outgoing_nic, remote_ip_address, mtu_successful: false }));
    const numbers = Array.from({ length: 600 }, (_, at) => at);
    const storage = numbers.map((at) => ({
      mtu_report: lost('storage', `10.1.${at >> 1}.${at % 2}`, `10.2.0.${at % 256}`, `fd02::${at}`),
    }));
    const machine = lost('machine', '192.168.0.9', 'fd00::9');
    const other = lost('other', 'fd00::1:9', 'fd00:0:0:1::9', 'x');
    const failures = failuresOf([...storage, { mtu_report: [...machine, ...other] }]);
    expect(failures).toHaveLength(MAX_MTU_FAILURES);
    const kept = [...machine, ...other].map(({ outgoing_nic: nic, remote_ip_address: remoteAddress }) => ({
      nic,
      remoteAddress,
    }));
    expect(failures).toEqual(expect.arrayContaining(kept));
    expect(failuresOf(numbers.map((at) => ({ mtu_report: lost('a', `10.0.0.${at % 256}`) })))).toEqual(
      numbers.slice(0, MAX_MTU_FAILURES).map((at) => ({ nic: 'a', remoteAddress: `10.0.0.${at}` })),
    );
    const oneCard = [...numbers.map((at) => `10.0.0.${at % 256}`), 'fd00::9', '10.0.1.7'];
    expect(failuresOf([{ mtu_report: lost('a', ...oneCard) }])).toEqual(
      expect.arrayContaining(['fd00::9', '10.0.1.7'].map((remoteAddress) => ({ nic: 'a', remoteAddress }))),
    );
  });

  it('ignores a change of the round-trip time alone', () => {
    const fingerprint = (average_rtt_ms: number, successful: boolean): unknown => {
      const l3_connectivity = [{ outgoing_nic: 'a', remote_ip_address: 'b', successful, average_rtt_ms }];
      return (
        read('connectivity-check', { remote_hosts: [{ l3_connectivity }] }).event.data as { fingerprint?: string }
      ).fingerprint;
    };
    expect(fingerprint(1, true)).toBe(fingerprint(2, true));
    expect(fingerprint(1, true)).not.toBe(fingerprint(1, false));
  });

  it('returns a failed disk test with its exit code', () => {
    expect(read('installation-disk-speed-check', { path: '/dev/sda' }, 124).event.data).toEqual({
      path: '/dev/sda',
      ioSyncDurationMs: 0,
      exitCode: 124,
      generation: 1,
    });
  });

  it('keeps the last result of an image that a report names twice', () => {
    const image = (name: string, result: string) => ({ name, result });
    const images = [image('i', 'failure'), image('j', 'failure'), image('i', 'success')];
    expect(read('container-image-availability', { images }).event.data).toMatchObject({
      images: [image('i', 'success'), image('j', 'failure')],
    });
  });

  it('returns the error of a failed Tang check', () => {
    const { event, body } = read('tang-connectivity-check', '', 1, 'no route to host');
    expect(event.data).toMatchObject({ isSuccess: false });
    expect(body?.text).toContain('no route to host');
  });

  it('omits the Ignition config of a cluster from bodies and events', () => {
    const { event, body, secret } = read('api-vip-connectivity-check', GOOD['api-vip-connectivity-check']);
    expect(JSON.stringify([event, body])).not.toContain('canary');
    expect(secret?.plaintext).toContain('canary');
  });
});
