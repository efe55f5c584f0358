import type { HostEvent } from '@muster/contracts';
import { isAfterReboot } from '@muster/validation-rules';
import type { ContextOf, RowOn } from '../guards';
import { isSameClaim } from '../input';
import { hostReason, mediaFailure } from '../messages';
import { DISCOVERY, UNBOUND, statusesExcept } from '../state';

const ANY = statusesExcept([]);
const mediaDisconnected = (): readonly HostEvent[] => [{ type: 'HostMediaDisconnected', data: {} }];

const MEDIA_ROWS: readonly (RowOn<'LoseMedia'> | RowOn<'RegainMedia'>)[] = [
  {
    id: 'media-lost',
    from: [...DISCOVERY, 'binding'],
    on: 'LoseMedia',
    when: { media: ['present'] },
    to: 'disconnected',
    why: 'The agent cannot run steps without its image.',
    status: () => hostReason('media-lost'),
    emit: mediaDisconnected,
  },
  {
    id: 'media-lost-while-installing',
    from: [
      'preparing-for-installation',
      'preparing-failed',
      'preparing-successful',
      'installing',
      'installing-in-progress',
      'error',
    ],
    on: 'LoseMedia',
    when: { media: ['present'] },
    to: 'error',
    cause: 'media',
    why: 'The installer runs from the image and cannot continue.',
    status: ({ state }) => mediaFailure(state.statusReason),
    emit: mediaDisconnected,
  },
  {
    id: 'unbound-media-lost-in-step',
    from: [...UNBOUND, 'unbinding'],
    on: 'LoseMedia',
    when: { media: ['present'] },
    to: 'disconnected-unbound',
    why: 'The agent cannot run steps without its image.',
    status: () => hostReason('media-lost'),
    emit: mediaDisconnected,
  },
  {
    id: 'media-lost-again',
    from: [
      ...DISCOVERY,
      'binding',
      'preparing-for-installation',
      'preparing-failed',
      'preparing-successful',
      'installing',
      'installing-in-progress',
      'error',
      ...UNBOUND,
      'unbinding',
    ],
    on: 'LoseMedia',
    when: { media: ['lost'] },
    to: 'stay',
    why: 'The disconnected media is already recorded.',
  },
  {
    id: 'media-regained',
    from: ANY,
    on: 'RegainMedia',
    when: { media: ['lost'] },
    to: 'stay',
    why: 'A step completed, so the image is readable again.',
    emit: () => [{ type: 'HostMediaReconnected', data: {} }],
  },
  {
    id: 'media-still-there',
    from: ANY,
    on: 'RegainMedia',
    when: { media: ['present'] },
    to: 'stay',
    why: 'Nothing is new.',
  },
];

function silent({ state, command }: ContextOf<'FallSilent'>): readonly HostEvent[] {
  if (state.isSilent || isAfterReboot(state.progress.stage)) return [];
  return [{ type: 'HostFellSilent', data: { lastSeenAt: command.lastSeenAt } }];
}

const SILENCE_ROWS: readonly (RowOn<'FallSilent'> | RowOn<'Return'> | RowOn<'ReportAgentVersion'>)[] = [
  {
    id: 'fall-silent',
    from: ANY,
    on: 'FallSilent',
    to: 'stay',
    why: 'The silence is stored once. The next evaluation decides the status. A host is not expected to poll after its reboot.',
    emit: silent,
  },
  {
    id: 'return',
    from: ANY,
    on: 'Return',
    to: 'stay',
    why: 'The change is stored once.',
    emit: ({ state }) => (state.isSilent ? [{ type: 'HostReturned', data: {} }] : []),
  },
  {
    id: 'report-agent-version',
    from: ANY,
    on: 'ReportAgentVersion',
    to: 'stay',
    why: 'An agent that was replaced polls before it registers again. The change is stored once.',
    emit: ({ state, command: { agentVersion } }) =>
      agentVersion === state.agentVersion
        ? []
        : [{ type: 'HostAgentReplaced', data: { discoveryAgentVersion: agentVersion } }],
  },
];

/** Rows for the connection of a host and its discovery media. */
export const PRESENCE_ROWS = [...MEDIA_ROWS, ...SILENCE_ROWS] as const;

/** Rows for the identity of the machine. Two machines with one id are a visible conflict until one of them stops. */
export const IDENTITY_ROWS: readonly RowOn<'ClaimIdentity'>[] = [
  {
    id: 'claim-repeated',
    from: ANY,
    on: 'ClaimIdentity',
    when: { claim: ['repeat'] },
    to: 'stay',
    why: 'The registered machine has not changed.',
  },
  {
    id: 'claim-news',
    from: ANY,
    on: 'ClaimIdentity',
    when: { claim: ['changed'] },
    to: 'stay',
    why: 'The id is registered for the first time, by the same machine with other parts, or by a machine that replaces a lost one.',
    emit: ({ command }) => [{ type: 'HostIdentityClaimed', data: { machine: command.machine, at: command.at } }],
  },
  {
    id: 'claim-intrusion',
    from: ANY,
    on: 'ClaimIdentity',
    when: { claim: ['conflict'] },
    to: 'stay',
    why: 'Another live machine uses this id. Neither machine overwrites the other, and both are shown.',
    emit: ({ state, command }) =>
      state.machine
        ? [
            {
              type: 'HostIdentityConflictDetected',
              data: { known: state.machine, claimant: command.machine, at: command.at },
            },
          ]
        : [],
  },
  {
    id: 'claim-standoff',
    from: ANY,
    on: 'ClaimIdentity',
    when: { claim: ['conflict-continues'] },
    to: 'stay',
    why: 'The conflict is already recorded and both machines still register.',
  },
  {
    id: 'claim-resolution',
    from: ANY,
    on: 'ClaimIdentity',
    when: { claim: ['conflict-resolved'] },
    to: 'stay',
    why: 'The other machine has stopped registering with this id, so this machine is the host.',
    emit: ({ state, command }) => [
      { type: 'HostIdentityConflictResolved', data: { remaining: command.machine, at: command.at } },
      ...(isSameClaim(state.machine, command.machine)
        ? []
        : [{ type: 'HostIdentityClaimed' as const, data: { machine: command.machine, at: command.at } }]),
    ],
  },
];
