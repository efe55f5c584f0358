import type { HostEvent } from '@muster/contracts';
import { toV2Error } from '@muster/problems';
import { hostDecider } from './decider';
import { command, day1, stateAfter, unbound, when } from './host.fixture.spec';
import { hostnameRefusal, installerArgsRefusal, measurementOfValidation, nodeLabelsRefusal } from './input';

describe('the choice of the bootstrap host', () => {
  const withRole = (role: string): readonly HostEvent[] => [
    ...day1('known'),
    { type: 'HostRoleAssigned', data: { role, machineConfigPoolName: '' } },
  ];

  it.each(['worker', 'arbiter'])('ends when a user changes its role to %s at the same time', (role) => {
    expect(when(withRole(role), command('ChooseBootstrap'))).toMatchObject({ row: 'choose-bootstrap', events: [] });
  });

  it.each(['master', 'auto-assign'])('applies to a host with the role %s', (role) => {
    expect(when(withRole(role), command('ChooseBootstrap')).state.isBootstrap).toBe(true);
  });
});

describe('labels of a node', () => {
  it('are accepted as in Kubernetes', () => {
    const longest = { [`${'a'.repeat(253)}/${'b'.repeat(63)}`]: 'c'.repeat(63) };
    for (const labels of ['', '{}', '{"example.com/a_b":"1.2-3_B","x":""}', JSON.stringify(longest)])
      expect(nodeLabelsRefusal(labels)).toBeUndefined();
  });

  it.each([
    { 'a b': '' },
    { '/a': 'a' },
    { 'a/b/c': 'a' },
    { 'Example.com/a': 'a' },
    { 'example..com/a': 'a' },
    { '-a': 'a' },
    { a: 'b c' },
    { a: 'b-' },
    { a: 'ä' },
    { a: 'a\n' },
    { a: 'b'.repeat(64) },
    { ['b'.repeat(64)]: 'a' },
    { [`${'a'.repeat(254)}/b`]: 'a' },
  ])('are refused: %j', (labels) => {
    const [key = ''] = Object.keys(labels);
    expect(nodeLabelsRefusal(JSON.stringify({ fine: 'a', ...labels }))).toMatchObject({
      code: 'invalid-input',
      subject: 'node_labels',
      reason: expect.stringContaining(JSON.stringify(key)),
    });
  });
});

describe('installer arguments', () => {
  const ACCEPTED = ['-n', '--save-partlabel', 'data*', '--image-url', 'http://[fd00::1]:80/x_{1}.img'];

  it('are accepted as in assisted-service v2', () => {
    for (const args of ['', '[]', JSON.stringify(ACCEPTED)]) expect(installerArgsRefusal(args)).toBeUndefined();
  });

  it.each([
    ['--quiet', 'The installer argument "--quiet" is not an allowed flag. The value of a flag is a separate argument.'],
    [
      '--append-karg=a',
      'The installer argument "--append-karg=a" is not an allowed flag. The value of a flag is a separate argument.',
    ],
    ['a b', 'The installer argument "a b" is not an allowed value. It must have one or more characters'],
    ['', 'The installer argument "" is not an allowed value. It must have one or more characters'],
  ])('are refused with %j and the reason for it', (arg, reason) => {
    const refusal = installerArgsRefusal(JSON.stringify(['--append-karg', 'x', arg]));
    expect(refusal?.reason.startsWith(reason)).toBe(true);
  });

  it('are refused when one of them is not a text', () => {
    expect(installerArgsRefusal('["--append-karg", 1]')).toMatchObject({ code: 'invalid-input', subject: 'args' });
  });

  it.each(['-n', '--copy-network'])('may contain the flag %s, which has no value', (flag) => {
    expect(installerArgsRefusal(JSON.stringify([flag]))).toBeUndefined();
    expect(installerArgsRefusal(JSON.stringify([flag, 'x']))).toMatchObject({ code: 'invalid-input' });
  });

  it.each([
    '--append-karg',
    '--delete-karg',
    '--network-dir',
    '--save-partlabel',
    '--save-partindex',
    '--image-url',
    '--image-file',
  ])('may contain the flag %s with one value', (flag) => {
    expect(installerArgsRefusal(JSON.stringify([flag, 'x']))).toBeUndefined();
    expect(installerArgsRefusal(JSON.stringify([flag]))).toMatchObject({ code: 'invalid-input' });
    expect(installerArgsRefusal(JSON.stringify([flag, 'x', 'y']))).toMatchObject({ code: 'invalid-input' });
  });

  it.each(['--firstboot-args', '--append-karg=quiet', '-', 'a b', '', 'a|b', '$(x)\n', 'a&b'])(
    'are refused with %j in them',
    (wrong) => {
      expect(installerArgsRefusal(JSON.stringify([...ACCEPTED, wrong]))).toMatchObject({
        code: 'invalid-input',
        subject: 'args',
        reason: expect.stringContaining(JSON.stringify(wrong)),
        allowed: expect.arrayContaining(['--append-karg', '-n']),
      });
    },
  );

  it.each([
    [['--append-karg'], 'The installer flag "--append-karg" needs a value after it'],
    [['--append-karg', '--save-partindex', '1'], 'The installer flag "--append-karg" needs a value after it'],
    [['quiet'], 'The installer argument "quiet" is not the value of a flag'],
    [['-n', 'enp1s0'], 'The installer argument "enp1s0" is not the value of a flag'],
    [['--delete-karg', 'quiet', 'nosmt'], 'The installer argument "nosmt" is not the value of a flag'],
  ])('are refused when coreos-installer cannot read them: %j', (args, reason) => {
    expect(installerArgsRefusal(JSON.stringify(args))).toMatchObject({
      code: 'invalid-input',
      subject: 'args',
      reason: expect.stringContaining(reason),
    });
  });

  it('are shown in part when they are long', () => {
    expect(installerArgsRefusal(JSON.stringify([`-${'a'.repeat(10_000)}`]))?.reason.length).toBeLessThan(1_000);
    expect(nodeLabelsRefusal(JSON.stringify({ a: 'a'.repeat(10_000) }))?.reason.length).toBeLessThan(1_000);
  });
});

describe('the name of a host', () => {
  it.each([
    ['Host-1', '63 lower-case letters'],
    [`${'a'.repeat(60)}.org`, 'at most 63 '],
    ['localhost.localdomain', 'localhost'],
    ['-a', 'beginning with a letter or digit'],
  ])('is refused with the rule that %s breaks', (name, rule) => {
    expect(hostnameRefusal(name)).toMatchObject({ subject: 'host_name', reason: expect.stringContaining(rule) });
    expect(hostnameRefusal(name)?.reason).toContain(`"${name}"`);
  });

  it('is shown in part when it is long', () => {
    expect(hostnameRefusal('a'.repeat(10_000))?.reason.length).toBeLessThan(1_000);
  });
});

it('a refusal lists the allowed values once', () => {
  const measured = measurementOfValidation('connected', { status: 'known', clusterId: 'c' }, 'h');
  for (const refusal of [installerArgsRefusal('["--quiet"]'), 'refusal' in measured ? measured.refusal : undefined]) {
    expect(refusal?.allowed).not.toHaveLength(0);
    expect(refusal && toV2Error(refusal).reason.match(/Allowed: /g)).toHaveLength(1);
  }
});

describe('a setting that comes too late', () => {
  const LATE = ['preparing-for-installation', 'installing', 'installing-in-progress', 'installed', 'error'] as const;
  const SETTINGS = ['Rename', 'AssignRole', 'ChooseInstallationDisk', 'ReviseSettings'] as const;

  it.each(LATE.flatMap((status) => SETTINGS.map((type) => ({ status, type }))))(
    'conflicts with the status, as in assisted-service v2: $type of a host that is $status',
    ({ status, type }) => {
      expect(when(day1(status), command(type))).toMatchObject({ refusal: 'not-allowed-in-state', events: [] });
    },
  );
});

describe('the refusal to bind a host', () => {
  it.each([
    ['discovering-unbound', 'Wait until its inventory'],
    ['insufficient-unbound', 'Wait until its inventory'],
    ['unbinding', 'Wait until its inventory'],
    ['reclaiming-rebooting', 'Wait until its inventory'],
    ['disconnected-unbound', 'Boot the host from the discovery image'],
    ['unbinding-pending-user-action', 'Boot the host from the discovery image'],
  ] as const)('advises how to leave the status %s', (status, advice) => {
    expect(hostDecider.decide(command('Bind'), stateAfter(unbound(status)))).toMatchObject({
      refusal: { code: 'not-allowed-in-state', reason: expect.stringContaining(advice) },
    });
  });
});
