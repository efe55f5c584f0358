import type { RowOn } from '../guards';
import { statusesExcept } from '../status';
import { isSameClaim } from '../identity';

const ANY = statusesExcept([]);

/** Which machine is this? Two that claim one id are a visible conflict until one of them is gone. */
export const IDENTITY_ROWS: readonly RowOn<'ClaimIdentity'>[] = [
  {
    id: 'claim-repeated',
    from: ANY,
    on: 'ClaimIdentity',
    when: { claim: ['repeat'] },
    to: 'stay',
    why: 'The machine is the one that is known.',
  },
  {
    id: 'claim-news',
    from: ANY,
    on: 'ClaimIdentity',
    when: { claim: ['news'] },
    to: 'stay',
    why: 'The first claim, the same machine with other parts, or one that took the place of a machine that is gone.',
    emit: ({ command }) => [{ type: 'HostIdentityClaimed', data: { machine: command.machine, at: command.at } }],
  },
  {
    id: 'claim-intrusion',
    from: ANY,
    on: 'ClaimIdentity',
    when: { claim: ['intrusion'] },
    to: 'stay',
    why: 'Another live machine has this id: neither overwrites the other, and users can see both.',
    emit: ({ state, command }) =>
      state.machine
        ? [
            {
              type: 'HostIdentityConflictDetected',
              data: { known: state.machine, intruder: command.machine, at: command.at },
            },
          ]
        : [],
  },
  {
    id: 'claim-standoff',
    from: ANY,
    on: 'ClaimIdentity',
    when: { claim: ['standoff'] },
    to: 'stay',
    why: 'The conflict is known and both machines are still there.',
  },
  {
    id: 'claim-resolution',
    from: ANY,
    on: 'ClaimIdentity',
    when: { claim: ['resolution'] },
    to: 'stay',
    why: 'The other machine has not claimed the id for a while: this one is the host.',
    emit: ({ state, command }) => [
      { type: 'HostIdentityConflictResolved', data: { remaining: command.machine, at: command.at } },
      ...(isSameClaim(state.machine, command.machine)
        ? []
        : [{ type: 'HostIdentityClaimed' as const, data: { machine: command.machine, at: command.at } }]),
    ],
  },
];
