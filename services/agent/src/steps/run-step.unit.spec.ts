import { execute, type RunCommand } from '../linux/command';
import { type Abilities, type Machine, StepFailed } from '../machine/machine.port';
import { runStep, toProcessExitCode } from './run-step';

const HOST_ID = '10000000-0000-4000-8000-000000000001';
const never = new AbortController().signal;

const machineWith = (abilities: Abilities, mediaAnswers: boolean[] = []): Machine => ({
  abilities,
  identity: async () => ({ baseboardSerial: '', systemUuid: '', systemSerial: '', macAddresses: [], bootId: '' }),
  isMediaReadable: async () => mediaAnswers.shift() ?? true,
  isInstalling: async () => false,
});

describe('a step', () => {
  it('is refused by name when its type is unknown', async () => {
    expect(await runStep(machineWith({}), 'execute', [], never)).toEqual({
      exitCode: -1,
      output: '',
      error: 'This agent does not support the step type "execute".',
    });
  });

  it('is refused when the machine does not support it', async () => {
    const outcome = await runStep(
      machineWith({}),
      'installation-disk-speed-check',
      ['{"path":"/dev/sda"}', '480.00'],
      never,
    );
    expect(outcome).toMatchObject({ exitCode: -1, output: '' });
    expect(outcome.error).toContain('installation-disk-speed-check');
  });

  it.each<[string, string[], string]>([
    ['inventory', ['no-uuid'], '[0]'],
    ['inventory', [], '[0]'],
    ['inventory', ['2b1c3f00-0000-4000-8000-000000000001', '--other=1'], '--other=1'],
    ['connectivity-check', ['{'], '[0]'],
    ['connectivity-check', ['[{"nics":[]}]'], '[0][0].host_id'],
    ['free-network-addresses', ['[1]'], '[0][0]'],
    ['installation-disk-speed-check', ['{"path":"/dev/sda"}'], 'list'],
    ['install', ['{"role":"king"}'], '[0].cluster_id'],
    ['logs-gather', ['{"cluster_id":4,"host_id":"h","infra_env_id":"i"}'], '[0].cluster_id'],
    ['tang-connectivity-check', ['{"tang_servers":"nonsense"}'], '[0].tang_servers'],
    ['tang-connectivity-check', ['{"tang_servers":"[{}]"}'], '[0].tang_servers[0].url'],
    ['container-image-availability', ['{"timeout":"soon"}'], '[0].timeout'],
  ])('%s with the arguments %j is refused with the place %s', async (type, args, place) => {
    const { exitCode, error } = await runStep(machineWith({}), type, args, never);
    expect(exitCode).toBe(-1);
    expect(error).toMatch(/ (must be|is required)/);
    expect(error).toContain(`The argument ${place} `);
  });

  it('has an error that the service accepts when a long text is cut within a character', async () => {
    const run: RunCommand = async () => ({ exitCode: 1, stdout: `${'\u{1f4be}'.repeat(600)}.` });
    const abilities: Abilities = { 'stop-installation': async () => void (await execute(run, 'podman', [], never)) };
    const { error } = await runStep(machineWith(abilities), 'stop-installation', [], never);
    expect(error).toMatch(/^"podman" ended with exit code 1: .*\u{1f4be}\.$/u);
    expect(error.isWellFormed()).toBe(true);
  });

  it('is not started when the discovery image cannot be read', async () => {
    let begun = false;
    const abilities: Abilities = { 'stop-installation': async () => void (begun = true) };
    expect((await runStep(machineWith(abilities, [false]), 'stop-installation', [], never)).exitCode).toBe(256);
    expect(begun).toBe(false);
  });

  it('is reported as lost media when it fails and the discovery image cannot be read afterwards', async () => {
    const abilities: Abilities = { 'stop-installation': () => Promise.reject(new StepFailed('read error', 5)) };
    expect((await runStep(machineWith(abilities, [true, false]), 'stop-installation', [], never)).exitCode).toBe(256);
    expect((await runStep(machineWith(abilities, [true, true]), 'stop-installation', [], never)).exitCode).toBe(5);
  });

  it('passes the parsed arguments to the machine', async () => {
    const seen: unknown[] = [];
    const note = async (order: unknown): Promise<never> => {
      seen.push(order);
      throw new StepFailed('noted');
    };
    const abilities: Abilities = {
      inventory: note,
      'connectivity-check': note,
      'ntp-synchronizer': note,
      'installation-disk-speed-check': note,
      install: note,
      'tang-connectivity-check': note,
      'domain-resolution': note,
    };
    const machine = machineWith(abilities);
    const nic = { name: 'eth0', mac: '52:54:00:00:00:01', ip_addresses: ['192.0.2.7/24'] };
    await runStep(machine, 'inventory', [HOST_ID], never);
    await runStep(machine, 'connectivity-check', [JSON.stringify([{ host_id: HOST_ID, nics: [nic] }])], never);
    await runStep(machine, 'ntp-synchronizer', ['{"ntp_source":"a, b,"}'], never);
    await runStep(machine, 'installation-disk-speed-check', ['{"path":"/dev/sda"}', '480.00'], never);
    await runStep(machine, 'domain-resolution', ['{"domains":[{"domain_name":"api.x.y"}]}'], never);
    await runStep(
      machine,
      'tang-connectivity-check',
      ['{"tang_servers":"[{\\"url\\":\\"http://t\\",\\"thumbprint\\":\\"p\\"}]"}'],
      never,
    );
    expect(seen).toEqual([
      { hostId: HOST_ID },
      [{ hostId: HOST_ID, nics: [{ name: 'eth0', mac: nic.mac, addresses: ['192.0.2.7'] }] }],
      { sources: ['a', 'b'] },
      { path: '/dev/sda', timeoutSeconds: 480 },
      { domains: ['api.x.y'] },
      { servers: [{ url: 'http://t', thumbprint: 'p' }] },
    ]);
  });

  it('reports every image with exit code 2 when one of them is missing', async () => {
    const image = { name: 'quay.io/a', size_bytes: 1, time: 1, download_rate: 1, result: 'failure' as const };
    const abilities: Abilities = { 'container-image-availability': async () => ({ images: [image] }) };
    const args = ['{"images":["quay.io/a"],"timeout":960}'];
    expect(await runStep(machineWith(abilities), 'container-image-availability', args, never)).toEqual({
      exitCode: 2,
      output: JSON.stringify({ images: [image] }),
      error: 'These images cannot be pulled: quay.io/a.',
    });
  });

  it('reports why a Tang server did not answer as the error of the step', async () => {
    const document = { is_success: false, tang_server_response: [] };
    const reason = 'The Tang server http://t did not return its advertisement: HTTP 404';
    const abilities: Abilities = { 'tang-connectivity-check': async () => ({ ...document, reason }) };
    expect(await runStep(machineWith(abilities), 'tang-connectivity-check', ['{"tang_servers":"[]"}'], never)).toEqual({
      exitCode: -1,
      output: JSON.stringify(document),
      error: reason,
    });
  });

  it('sorts the hosts of a connectivity report, so that equal results have equal text', async () => {
    const host = (host_id: string) => ({ host_id, l2_connectivity: [], l3_connectivity: [], mtu_report: [] });
    const abilities: Abilities = { 'connectivity-check': async () => ({ remote_hosts: [host('b'), host('a')] }) };
    const { output } = await runStep(machineWith(abilities), 'connectivity-check', ['[]'], never);
    expect(JSON.parse(output)).toEqual({ remote_hosts: [host('a'), host('b')] });
  });
});

it('a process of one step does not end with success after the medium was lost', async () => {
  const { exitCode } = await runStep(machineWith({}, [false]), 'inventory', [HOST_ID], never);
  // The system keeps eight bits of an exit code.
  expect([exitCode % 256, toProcessExitCode(exitCode)]).toEqual([0, 1]);
  expect([0, 2, 124, -1].map(toProcessExitCode)).toEqual([0, 2, 124, -1]);
});
