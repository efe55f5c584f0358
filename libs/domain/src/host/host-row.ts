import type { HostEvent } from '@muster/contracts';
import type { ProblemCode } from '@muster/problems';
import type { Row } from '@muster/decision';
import type { HostCommand, HostCommandOf, HostCommandType } from './host-commands';
import type { HostState } from './host-state';
import type { FailureCause, HostSource } from './host-status';
import type { HostTimeouts } from './host-timeouts';
import type { HostVariables } from './host-variables';

/** What the words and the facts of a row are made from. */
export interface HostContext<Command extends HostCommand = HostCommand> {
  readonly state: HostState;
  readonly command: Command;
  readonly timeouts: HostTimeouts;
}

/** Instead of a transition: why not. */
export interface RowRefusal<Command extends HostCommand = HostCommand> {
  readonly code: ProblemCode;
  readonly reason: string;
  /** Default: `status`. */
  readonly subject?: string;
  /** Default: the statuses in which the command is accepted. */
  allowed?(context: HostContext<Command>): readonly string[];
}

/** One row of the host's table. Facts of `effects` come before the change of status. */
export interface HostRow<Command extends HostCommand = HostCommand> extends Row<
  HostSource,
  Command['type'],
  HostVariables
> {
  /** `status_info`; absent: it stays as it is. */
  info?(context: HostContext<Command>): string;
  effects?(context: HostContext<Command>): readonly HostEvent[];
  /** With `to: 'error'`. */
  readonly cause?: FailureCause;
  /** With `to: 'stay'`: the command is refused and nothing is stored. */
  readonly refusal?: RowRefusal<Command>;
}

export type RowOn<On extends HostCommandType> = HostRow<HostCommandOf<On>>;
export type ContextOf<On extends HostCommandType> = HostContext<HostCommandOf<On>>;
