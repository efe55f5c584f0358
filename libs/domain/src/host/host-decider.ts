import type { HostEvent } from '@muster/contracts';
import type { Decider } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';
import type { HostCommand } from './host-commands';
import { decideHost } from './host-decide';
import { evolveHost } from './host-evolve';
import { type HostState, initialHost } from './host-state';
import { DEFAULT_HOST_TIMEOUTS, type HostTimeouts } from './host-timeouts';

/** The host aggregate with the timeouts of a deployment. */
export function createHostDecider(timeouts: HostTimeouts): Decider<HostState, HostCommand, HostEvent, ProblemCode> {
  return {
    initialState: initialHost,
    evolve: evolveHost,
    decide: (command, state) => decideHost(command, state, timeouts),
  };
}

/** With default timeouts. */
export const hostDecider = createHostDecider(DEFAULT_HOST_TIMEOUTS);
