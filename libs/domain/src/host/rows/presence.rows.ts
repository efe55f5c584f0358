import type { HostEvent } from '@muster/contracts';
import type { ContextOf, RowOn } from '../guards';
import { hostReason, mediaFailure } from '../messages';
import { STAGES_FROM_REBOOT } from '../stages';
import { DISCOVERY, POOL, statusesExcept } from '../state';

const ANY = statusesExcept([]);
const mediaGone = (): readonly HostEvent[] => [{ type: 'HostMediaDisconnected', data: {} }];

const MEDIA_ROWS: readonly (RowOn<'LoseMedia'> | RowOn<'RegainMedia'>)[] = [
  {
    id: 'media-lost',
    from: [...DISCOVERY, 'binding'],
    on: 'LoseMedia',
    when: { media: ['present'] },
    to: 'disconnected',
    why: 'No step can run without the image.',
    status: () => hostReason('media-lost'),
    emit: mediaGone,
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
    why: 'The installer runs from the image: it cannot continue.',
    status: ({ state }) => mediaFailure(state.statusReason),
    emit: mediaGone,
  },
  {
    id: 'pool-media-lost-in-step',
    from: [...POOL, 'unbinding'],
    on: 'LoseMedia',
    when: { media: ['present'] },
    to: 'disconnected-unbound',
    why: 'No step can run without the image.',
    status: () => hostReason('media-lost'),
    emit: mediaGone,
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
      ...POOL,
      'unbinding',
    ],
    on: 'LoseMedia',
    when: { media: ['lost'] },
    to: 'stay',
    why: 'It is known already.',
  },
  {
    id: 'media-regained',
    from: ANY,
    on: 'RegainMedia',
    when: { media: ['lost'] },
    to: 'stay',
    why: 'A step ran: the image can be read again.',
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
  if (state.isSilent || STAGES_FROM_REBOOT.has(state.progress.stage)) return [];
  return [{ type: 'HostFellSilent', data: { lastSeenAt: command.lastSeenAt } }];
}

const SILENCE_ROWS: readonly (RowOn<'FallSilent'> | RowOn<'Return'>)[] = [
  {
    id: 'fall-silent',
    from: ANY,
    on: 'FallSilent',
    to: 'stay',
    why: 'An edge, stored once; what follows is decided when the rules have seen it. After the reboot a host is not expected to poll.',
    emit: silent,
  },
  {
    id: 'return',
    from: ANY,
    on: 'Return',
    to: 'stay',
    why: 'An edge, stored once.',
    emit: ({ state }) => (state.isSilent ? [{ type: 'HostReturned', data: {} }] : []),
  },
];

/** Whether a host can be heard and can read its image. */
export const PRESENCE_ROWS = [...MEDIA_ROWS, ...SILENCE_ROWS] as const;
