import type { HostEvent } from '@muster/contracts';
import type { HostCommand } from './commands';
import {
  cluster,
  command,
  day1,
  day2,
  entered,
  fellSilent,
  infoOf,
  minute,
  progressed,
  refresh,
  registered,
  unbound,
  when,
} from './host.fixture.spec';
import type { HostStatus } from './state';

const preparing = cluster('preparing-for-installation');
const installing = cluster('installing');
const ready = cluster('ready');
const soft = { softTimeouts: true };
const deadline = (name: string): HostEvent => ({ type: 'HostDeadlinePassed', data: { deadline: name } });
const inStage = (stage: string): readonly HostEvent[] => [...day1('installing-in-progress'), progressed(stage)];
const pass = (name: string, minutes: number): HostCommand =>
  command('PassDeadline', { deadline: name, at: minute(minutes), cluster: installing });

const READY = 'Host is ready to be installed';
const PREPARED = 'Host finished successfully to prepare for installation';
const FAILING = 'Host cannot be installed due to following failing validation(s): rule A fails ; rule B fails';
const CLUSTER_FAILED = 'Host is part of a cluster that failed to install';
const SILENT = 'Host has stopped communicating with the installation service';
const SILENT_PREPARING = { code: 'silent-while-preparing' };
const SILENT_INSTALLING =
  'Host failed to install due to timeout while connecting to host during the installation phase.';
const AWAITING = 'Waiting for host to send hardware details';
const RESTARTED = 'The host unexpectedly restarted during the installation';
const RESETTING = 'Host requires booting into the discovery image to complete resetting the installation';
const UNBINDING = 'Host is waiting to be unbound from the cluster';
/** The beginning of the text. */
const MEDIA = /^Unable to read from the discovery media\. /;

type Case = readonly [
  from: HostStatus,
  to: HostStatus,
  history: readonly HostEvent[],
  what: HostCommand,
  text: string | RegExp,
];

const slow = refresh({ diskSpeed: 'failed', sufficientForInstall: false }, preparing);
const PREPARATION: readonly Case[] = [
  ['known', 'preparing-for-installation', day1('known'), refresh({ images: 'unknown' }, preparing), PREPARED],
  [
    'preparing-for-installation',
    'preparing-successful',
    day1('preparing-for-installation'),
    refresh({}, preparing),
    PREPARED,
  ],
  [
    'preparing-successful',
    'installing',
    day1('preparing-successful'),
    refresh({}, installing),
    'Installation is in progress',
  ],
  [
    'preparing-for-installation',
    'known',
    day1('preparing-for-installation'),
    refresh({ images: 'unknown' }, ready),
    READY,
  ],
  ['preparing-failed', 'known', day1('preparing-failed'), refresh({ images: 'failed' }, ready), READY],
  ['preparing-successful', 'known', day1('preparing-successful'), refresh({}, ready), READY],
  ['known', 'insufficient', day1('known'), slow, FAILING],
  ['preparing-for-installation', 'insufficient', day1('preparing-for-installation'), slow, FAILING],
  ['preparing-failed', 'insufficient', day1('preparing-failed'), slow, FAILING],
  ['preparing-successful', 'insufficient', day1('preparing-successful'), slow, FAILING],
  [
    'preparing-for-installation',
    'preparing-failed',
    day1('preparing-for-installation'),
    refresh({ images: 'failed', failingIds: ['image-x', 'rule-a'] }, preparing),
    'Host failed to prepare for installation due to following failing validation(s): image X is not available',
  ],
  [
    'preparing-for-installation',
    'preparing-failed',
    [...day1('preparing-for-installation'), deadline('preparing')],
    refresh({ images: 'unknown', preparationIds: [] }, preparing),
    'The host has encountered a preparation timeout, the following conditions failed: container-images-available',
  ],
  [
    'preparing-for-installation',
    'preparing-failed',
    [...day1('preparing-for-installation'), deadline('preparing')],
    refresh({ diskSpeed: 'unknown', images: 'unknown', preparationIds: [] }, preparing),
    'The host has encountered a preparation timeout, the following conditions failed: container-images-available ; sufficient-installation-disk-speed',
  ],
];
const DISCOVERY: readonly Case[] = [
  ['known', 'disconnected', [...day1('known'), fellSilent], refresh({ connected: false }), SILENT],
  ['known', 'disconnected', day1('known'), refresh({ mediaConnected: false }), MEDIA],
  ['disconnected', 'discovering', day1('disconnected'), refresh({ inventory: 'none' }), AWAITING],
  ['disconnected', 'discovering', day1('disconnected'), refresh({ inventory: 'truncated' }), AWAITING],
  [
    'discovering',
    'insufficient',
    day1('discovering'),
    refresh({ minHardware: false }),
    'Host does not meet the minimum hardware requirements: too few cores',
  ],
  [
    'discovering',
    'pending-for-input',
    day1('discovering'),
    refresh({ machineCidrDefined: false }),
    'Waiting for user input: no machine network',
  ],
  ['known', 'insufficient', day1('known'), refresh({ inventory: 'truncated' }), FAILING],
  ['pending-for-input', 'insufficient', day1('pending-for-input'), refresh({ inventory: 'truncated' }), FAILING],
  ['discovering', 'insufficient', day1('discovering'), refresh({ vsphereDiskUuid: false }), FAILING],
  ['discovering', 'known', day1('discovering'), refresh(), READY],
  [
    'discovering-unbound',
    'known-unbound',
    unbound('discovering-unbound'),
    refresh(),
    'Host is ready to be bound to a cluster',
  ],
  ['known-unbound', 'disconnected-unbound', unbound('known-unbound'), refresh({ connected: false }), SILENT],
  ['known-unbound', 'discovering-unbound', unbound('known-unbound'), refresh({ inventory: 'none' }), AWAITING],
  ['known-unbound', 'insufficient-unbound', unbound('known-unbound'), refresh({ minHardware: false }), FAILING],
];
const INSTALLATION: readonly Case[] = [
  ['installing', 'error', day1('installing'), refresh({}, cluster('error')), CLUSTER_FAILED],
  ['installed', 'error', day1('installed'), refresh({}, cluster('error')), CLUSTER_FAILED],
  ['installing', 'error', [...day1('installing'), fellSilent], refresh({ connected: false }), SILENT_INSTALLING],
  [
    'installing',
    'installing',
    [...day1('installing'), fellSilent],
    refresh({ connected: false }, installing, soft),
    `${SILENT}; the installation continues`,
  ],
  [
    'installing-in-progress',
    'installing-in-progress',
    [...inStage('Installing'), { type: 'HostConnectionTimedOut', data: {} }],
    refresh({}, installing, soft),
    'Host is communicating with the installation service again; the installation continues',
  ],
  [
    'installing',
    'error',
    day1('installing'),
    pass('installing', 20),
    'Host failed to install due to timeout while starting installation',
  ],
  [
    'installing-in-progress',
    'error',
    inStage('Configuring'),
    pass('stage', 60),
    'Host failed to install because its installation stage Configuring took longer than expected 1h0m0s',
  ],
  [
    'installing-in-progress',
    'error',
    inStage('Copying registry data to disk'),
    pass('stage', 90),
    'Host failed to install because its installation stage Copying registry data to disk did not sufficiently progress in the last 1h30m0s.',
  ],
  [
    'installing-in-progress',
    'installing-pending-user-action',
    inStage('Rebooting'),
    pass('stage', 40),
    /^Host timed out when pulling the configuration files\./,
  ],
  [
    'installing-pending-user-action',
    'error',
    [...day1('installing-pending-user-action'), deadline('pending-user-action')],
    refresh({}, cluster('installing-pending-user-action', true)),
    'Host failed to boot from the installation disk within the expected time.',
  ],
  [
    'installing-in-progress',
    'error',
    inStage('Installing'),
    command('LoseMedia'),
    /^Failed - Unable to read from the discovery media\. /,
  ],
  ['installing-in-progress', 'error', inStage('Installing'), command('Register'), RESTARTED],
  ['installing', 'error', day1('installing'), command('Register'), RESTARTED],
  ['preparing-successful', 'known', day1('preparing-successful'), command('Register'), READY],
  ['insufficient', 'discovering', day1('insufficient'), command('Register'), AWAITING],
  ['unbinding', 'discovering-unbound', unbound('unbinding'), command('Register', { clusterId: '' }), AWAITING],
];
const PROGRESS: readonly Case[] = [
  [
    'installing',
    'installing-in-progress',
    day1('installing'),
    command('ReportProgress', { stage: 'Starting installation' }),
    'Starting installation',
  ],
  ['installing-in-progress', 'installed', inStage('Joined'), command('ReportProgress', { stage: 'Done' }), 'Done'],
  [
    'installing-in-progress',
    'error',
    inStage('Installing'),
    command('ReportProgress', { stage: 'Failed', info: 'no disk' }),
    'Failed - no disk',
  ],
  ['installing-in-progress', 'error', inStage('Installing'), command('ReportProgress', { stage: 'Failed' }), 'Failed'],
  [
    'installing-in-progress',
    'added-to-existing-cluster',
    [...day2('installing-in-progress'), progressed('Installing')],
    command('ReportProgress', { stage: 'Rebooting' }),
    'Host has rebooted and no further updates will be posted. Please check console for progress and to possibly approve pending CSRs',
  ],
];
const LIFECYCLE: readonly Case[] = [
  ['error', 'resetting-pending-user-action', day1('error', 'report'), command('RequireReset'), RESETTING],
  [
    'resetting',
    'resetting-pending-user-action',
    [registered(), entered('resetting'), deadline('resetting')],
    refresh(),
    RESETTING,
  ],
  ['known-unbound', 'binding', unbound('known-unbound'), command('Bind'), 'Host is waiting to be bound to the cluster'],
  ['known', 'unbinding', day1('known'), command('Unbind'), UNBINDING],
  ['installed', 'unbinding-pending-user-action', day1('installed'), command('Unbind'), UNBINDING],
  ['installed', 'reclaiming', day1('installed'), command('Reclaim'), UNBINDING],
  [
    'reclaiming',
    'reclaiming-rebooting',
    unbound('reclaiming'),
    command('RebootForReclaim'),
    'Host is rebooting into the discovery image',
  ],
  [
    'reclaiming',
    'unbinding-pending-user-action',
    [...unbound('reclaiming'), deadline('reclaim')],
    refresh(),
    UNBINDING,
  ],
  ['known', 'installing', day2('known'), command('InstallHost'), 'Installation is in progress'],
];

describe('status_info of a host', () => {
  it.each([...PREPARATION, ...DISCOVERY, ...INSTALLATION, ...PROGRESS, ...LIFECYCLE])(
    'explains the change from %s to %s',
    (_, to, history, what, text) => {
      const { state } = when(history, what);
      expect(state.status).toBe(to);
      expect(infoOf(state)).toEqual(text instanceof RegExp ? expect.stringMatching(text) : text);
    },
  );

  it('names the phase in which a host fell silent in the event of the change', () => {
    for (const status of ['preparing-for-installation', 'preparing-successful'] as const) {
      const { events } = when([...day1(status), fellSilent], refresh({ connected: false }, preparing));
      expect(events[0]).toMatchObject({ data: { status: 'disconnected', statusReason: SILENT_PREPARING } });
    }
  });
});
