import type { RowOn } from '../guards';
import { statusesExcept } from '../status';

const ANY = ['unregistered', ...statusesExcept([])] as const;

/** A deadline is a fact; what follows from it is for the rows on Refresh, at once and later. */
export const DEADLINE_ROWS: readonly RowOn<'PassDeadline'>[] = [
  {
    id: 'deadline-passed',
    from: ANY,
    on: 'PassDeadline',
    when: { due: [true] },
    to: 'stay',
    why: 'The time is up. The fact ends nothing by itself: success that comes later is still success.',
    emit: ({ command }) => [{ type: 'HostDeadlinePassed', data: { deadline: command.deadline } }],
  },
  {
    id: 'deadline-stale',
    from: ANY,
    on: 'PassDeadline',
    when: { due: [false] },
    to: 'stay',
    why: 'The host moved on before the timer was read.',
  },
];
