import type { HostEvent } from '@muster/contracts';
import type { Guard } from '@muster/decision';
import type { StatusReason } from '../../status-reason';
import { installationDiskText, hostReturned } from '../effects';
import type { ContextOf, HostVariables, RowOn } from '../guards';
import { isOtherMachine } from '../input';
import { hostReason } from '../messages';
import { statusesExcept } from '../state';

type Context = ContextOf<'Register'>;
type RegisterRow = RowOn<'Register'>;

/** Guard of rows for the known machine of the host. */
const same = (when: Guard<HostVariables> = {}): Guard<HostVariables> => ({ ...when, identity: ['same'] });

function claim({ state, command }: Context): readonly HostEvent[] {
  const { machine, at } = command;
  if (!machine) return [];
  const isChanged = machine.macAddresses.join() !== state.machine?.macAddresses.join();
  return [
    // The row accepts the machine because the known machine of the conflict no longer uses the id.
    ...(isOtherMachine(state, machine)
      ? [{ type: 'HostIdentityConflictResolved' as const, data: { remaining: machine, at } }]
      : []),
    ...(isChanged ? [{ type: 'HostIdentityClaimed' as const, data: { machine, at } }] : []),
  ];
}

/** The host keeps its registration. The machine may be another one than before. */
const returned = (context: Context): readonly HostEvent[] => [...hostReturned(context), ...claim(context)];

function registered(context: Context): readonly HostEvent[] {
  const { at, infraEnvId, hostId, clusterId, kind, role, bootstrap, owner, machineConfigPoolName, agentVersion } =
    context.command;
  return [
    {
      type: 'HostRegistered',
      data: {
        hostId,
        infraEnvId,
        clusterId,
        kind,
        role,
        bootstrap,
        discoveryAgentVersion: agentVersion,
        machineConfigPoolName,
        owner,
        at,
      },
    },
    ...claim(context),
  ];
}

/** The machine has booted from the media. */
const mediaRegained = ({ state }: Context): readonly HostEvent[] =>
  state.isMediaConnected ? [] : [{ type: 'HostMediaReconnected', data: {} }];

const reregistered =
  (inventoryKept: boolean) =>
  (context: Context): readonly HostEvent[] => {
    const { agentVersion, kind, at } = context.command;
    // Only Bind and Unbind move a registered host.
    const { clusterId } = context.state;
    return [
      ...hostReturned(context),
      ...(inventoryKept ? [] : mediaRegained(context)),
      { type: 'HostReregistered', data: { discoveryAgentVersion: agentVersion, kind, clusterId, inventoryKept, at } },
      ...claim(context),
    ];
  };

const awaitingHardware = (): StatusReason => hostReason('awaiting-hardware');
const bootFromDisk = (context: Context): StatusReason =>
  hostReason('wrong-boot-order', {
    parameters: { disk: context.command.installationDisk ?? installationDiskText(context) },
  });

/** Rows for registrations, by the status of the host. */
export const REGISTRATION_ROWS: readonly RegisterRow[] = [
  {
    id: 'register-bound',
    from: ['unregistered'],
    on: 'Register',
    when: { bound: [true], accepts: [true] },
    to: 'discovering',
    why: 'A new machine booted an image that belongs to a cluster.',
    status: awaitingHardware,
    emit: registered,
  },
  {
    id: 'register-unbound',
    from: ['unregistered'],
    on: 'Register',
    when: { bound: [false] },
    to: 'discovering-unbound',
    why: 'A new machine registers without a cluster.',
    status: awaitingHardware,
    emit: registered,
  },
  {
    id: 'register-while-preparing',
    from: ['preparing-for-installation', 'preparing-successful'],
    on: 'Register',
    when: same({ started: [false] }),
    to: 'known',
    why: 'The agent restarted before any disk was written. The inventory remains valid and the preparation is repeated.',
    status: () => hostReason('ready'),
    emit: reregistered(true),
  },
  {
    id: 'register-before-install-step',
    from: ['preparing-for-installation', 'preparing-successful'],
    on: 'Register',
    when: same({ started: [true] }),
    to: 'error',
    cause: 'restart',
    why: 'The cluster started the installation without waiting for the host to be prepared again.',
    status: () => hostReason('restarted'),
    emit: hostReturned,
  },
  {
    id: 'register-again',
    from: [
      'discovering',
      'known',
      'disconnected',
      'insufficient',
      'resetting-pending-user-action',
      'binding',
      'pending-for-input',
    ],
    on: 'Register',
    when: same(),
    to: 'discovering',
    why: 'The machine booted again and may have changed, so it is inspected again.',
    status: awaitingHardware,
    emit: reregistered(false),
  },
  {
    id: 'register-while-resetting',
    from: ['resetting'],
    on: 'Register',
    when: same({ rebooted: [false] }),
    to: 'discovering',
    why: 'The reset is complete. The machine runs the discovery image.',
    status: awaitingHardware,
    emit: reregistered(false),
  },
  {
    id: 'register-while-reset-reboots',
    from: ['resetting'],
    on: 'Register',
    when: same({ rebooted: [true] }),
    to: 'stay',
    why: 'The machine is between two boots of its reset.',
    emit: returned,
  },
  {
    id: 'register-with-wrong-boot-order',
    from: ['installing-in-progress', 'added-to-existing-cluster'],
    on: 'Register',
    when: same({ rebooted: [true] }),
    to: 'installing-pending-user-action',
    why: 'The machine must boot from its disk. A user must correct the boot order.',
    status: bootFromDisk,
    emit: hostReturned,
  },
  {
    id: 'register-during-installation',
    from: ['installing-in-progress'],
    on: 'Register',
    when: same({ rebooted: [false] }),
    to: 'error',
    cause: 'restart',
    why: 'The installer cannot resume on a machine that restarted.',
    status: () => hostReason('restarted'),
    emit: hostReturned,
  },
  {
    id: 'register-at-installation-start',
    from: ['installing'],
    on: 'Register',
    when: same(),
    to: 'error',
    cause: 'restart',
    why: 'The agent received the install step, and it is unknown whether the step ran.',
    status: () => hostReason('restarted'),
    emit: hostReturned,
  },
  {
    id: 'register-after-lost-media',
    from: ['error'],
    on: 'Register',
    when: same({ startsOver: [true] }),
    to: 'discovering',
    why: 'No installation runs that a reset could end. The machine booted again, so it is inspected again.',
    status: awaitingHardware,
    emit: reregistered(false),
  },
  {
    id: 'register-after-failure',
    from: ['error'],
    on: 'Register',
    when: same({ startsOver: [false] }),
    to: 'stay',
    why: 'The agent may run and send logs. The host leaves this status only after a reset.',
    emit: returned,
  },
  {
    id: 'register-unbound-again',
    from: [
      'discovering-unbound',
      'disconnected-unbound',
      'insufficient-unbound',
      'known-unbound',
      'unbinding',
      'unbinding-pending-user-action',
      'reclaiming-rebooting',
    ],
    on: 'Register',
    when: same(),
    to: 'discovering-unbound',
    why: 'The machine booted the discovery image without a cluster; it is inspected again.',
    status: awaitingHardware,
    emit: reregistered(false),
  },
  {
    id: 'register-by-another-machine',
    from: statusesExcept([]),
    on: 'Register',
    when: { identity: ['other'] },
    to: 'stay',
    why: 'A live machine uses this id. Its reports are kept and the conflict is shown.',
    emit: ({ state, command }) =>
      command.machine && state.machine
        ? [
            {
              type: 'HostIdentityConflictDetected',
              data: { known: state.machine, claimant: command.machine, at: command.at },
            },
          ]
        : [],
  },
];
