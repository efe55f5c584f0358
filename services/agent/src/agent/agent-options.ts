import type { Timer } from '@muster/host-api';
import type { Clock } from '@muster/ports';
import type { Machine } from '../machine/machine.port';
import type { Transport } from '../transport/transport.port';
import type { AgentObserver } from './agent-log-entry';

export interface AgentOptions {
  readonly machine: Machine;
  readonly transport: Transport;
  /** The id that `transport` was opened with. */
  readonly hostId: string;
  /** Image reference that this agent came from. */
  readonly agentVersion: string;
  readonly clock: Clock;
  readonly timer: Timer;
  /** In [0, 1). */
  readonly random?: () => number;
  /** Between tries to register; milliseconds. */
  readonly intervalMs?: number;
  readonly observe?: AgentObserver;
}
