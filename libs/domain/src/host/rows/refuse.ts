import type { Guard } from '@muster/decision';
import type { HostCommand } from '../host-commands';
import type { HostRow, RowRefusal } from '../host-row';
import type { HostSource } from '../host-status';
import type { HostVariables } from '../host-variables';

/** One named refusal: these statuses (and guard) do not take the command, and this is why. */
export function refuse<Command extends HostCommand>(
  id: string,
  on: Command['type'],
  from: readonly HostSource[],
  code: RowRefusal['code'],
  reason: string,
  more: Pick<RowRefusal<Command>, 'subject' | 'allowed'> & { readonly when?: Guard<HostVariables> } = {},
): HostRow<Command> {
  const { when, subject, allowed } = more;
  return { id, on, from, when, to: 'stay', why: reason, refusal: { code, reason, subject, allowed } };
}
