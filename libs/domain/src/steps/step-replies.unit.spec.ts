import { commandsOfReply, inventoryRefusal, isReport, isSecondStart, type StepResult } from './step-replies';

const AT = '2024-01-01T00:00:00.000Z';
const result = (stepType: string, more: Partial<StepResult> = {}): StepResult => ({
  stepType,
  exitCode: 0,
  error: '',
  output: '{}',
  ...more,
});
const commands = (stepType: string, more: Partial<StepResult> = {}, isMediaConnected = true) =>
  commandsOfReply({ isMediaConnected }, result(stepType, more), AT);

describe('the commands of a failed download of boot artifacts', () => {
  it.each([
    [
      'http://images.example.com/images/i/pxe-initrd?arch=x86_64&api_key=canary could not be downloaded: no route',
      'http://images.example.com/images/i/pxe-initrd could not be downloaded: no route',
    ],
    [
      'Get "https://images.example.com:8080/i?image_token=canary": dial tcp: refused',
      'Get "https://images.example.com:8080/i": dial tcp: refused',
    ],
    ['There is no space left on the device?', 'There is no space left on the device?'],
    ['http://a/b?c=canary?d=canary and https://e?f', 'http://a/b and https://e'],
    ['http://'.repeat(200), 'http://'.repeat(200).slice(0, 1_000)],
  ])('contain its error without tokens: %s', (error, reason) => {
    expect(commands('download-boot-artifacts', { exitCode: 1, error })).toEqual([
      { type: 'FailReclaim', at: AT, reason },
    ]);
  });
});

describe('the commands of a reply', () => {
  it('start the boot of the downloaded artifacts', () =>
    expect(commands('download-boot-artifacts')).toEqual([{ type: 'RebootForReclaim', at: AT }]));

  it.each(['inventory', 'install', 'logs-gather'])('lose the media when the step %s cannot read it', (stepType) =>
    expect(commands(stepType, { exitCode: 256 })).toEqual([{ type: 'LoseMedia', at: AT, duringStep: stepType }]),
  );

  it.each([255, 257])('do not lose the media after exit code %i', (exitCode) =>
    expect(commands('inventory', { exitCode })).toEqual([]),
  );

  it('regain lost media with a step that succeeds, and only with such a step', () => {
    expect(commands('inventory', {}, false)).toEqual([{ type: 'RegainMedia', at: AT }]);
    expect(commands('inventory')).toEqual([]);
    expect(commands('inventory', { exitCode: 1 }, false)).toEqual([]);
  });

  it('fail the installation when the installer fails, and only then', () => {
    const failure = { type: 'ReportInstallFailure', at: AT, reason: 'The installation command failed on the host' };
    expect(commands('install', { exitCode: 1 })).toEqual([failure]);
    expect(commands('install')).toEqual([]);
    expect(commands('inventory', { exitCode: 1 })).toEqual([]);
  });

  it('ignore a second start of the installer', () => {
    const error = 'Error: the container name "assisted-installer" is already in use by 4be0f1c2aa90';
    expect(commands('install', { exitCode: 125, error })).toEqual([]);
    expect(isSecondStart(result('install', { exitCode: 125, error }))).toBe(true);
    for (const other of [
      result('install', { exitCode: 125, error: 'no such image' }),
      result('install', { exitCode: 126, error }),
      result('logs-gather', { exitCode: 125, error }),
    ])
      expect(isSecondStart(other)).toBe(false);
  });
});

describe('a reply is a report', () => {
  const empty = { output: '' };
  const failed = { exitCode: 1 };

  it.each([
    'inventory',
    'connectivity-check',
    'free-network-addresses',
    'ntp-synchronizer',
    'domain-resolution',
    'verify-vips',
    'api-vip-connectivity-check',
  ])('of the step %s when it succeeded', (stepType) => {
    expect([{}, empty, failed].map((more) => isReport(result(stepType, more)))).toEqual([true, true, false]);
  });

  it('of the Tang check also when it failed, because the error is its result', () =>
    expect([{}, failed].map((more) => isReport(result('tang-connectivity-check', more)))).toEqual([true, true]));

  it.each(['installation-disk-speed-check', 'container-image-availability'])(
    'of the step %s unless another run is in progress',
    (stepType) => {
      const replies = [{}, empty, failed, { ...failed, ...empty }];
      expect(replies.map((more) => isReport(result(stepType, more)))).toEqual([true, false, true, true]);
    },
  );

  it.each(['install', 'stop-installation', 'logs-gather', 'dhcp-lease-allocate', 'upgrade-agent', 'execute'])(
    'never of the step %s',
    (stepType) => expect([{}, failed].some((more) => isReport(result(stepType, more)))).toBe(false),
  );
});

it('an inventory is accepted while the host is discovered or its disk is written', () => {
  expect(inventoryRefusal({ status: 'known' })).toBeUndefined();
  expect(inventoryRefusal({ status: 'installing-in-progress' })).toBeUndefined();
  expect(inventoryRefusal({ status: 'installing' })).toMatchObject({ code: 'not-allowed-in-state', subject: 'status' });
});
