import type { AgentLogEntry } from '@muster/service-agent';

/** Where a simulated machine is in its life. */
export type PowerState = 'off' | 'starting' | 'discovery' | 'installing' | 'installed';

/** Told what happens in a simulation while it happens. Every member is optional; none may throw. */
export interface SimulationObserver {
  /** A stage was reported to the service, by whichever program. `percent`: 0 to 100 of the host's whole installation. */
  onStage?(host: SimulatedHostRef, stage: string, percent: number): void;
  onPower?(host: SimulatedHostRef, state: PowerState): void;
  onAgentNote?(host: SimulatedHostRef, note: AgentLogEntry): void;
  /** The in-cluster controller reached a finalizing stage, or says something worth reading. */
  onController?(clusterId: string, what: string): void;
  /** A mishap happened, or a call of an installation failed and the installation continues. */
  onTrouble?(host: SimulatedHostRef, what: string): void;
}

export interface SimulatedHostRef {
  readonly hostId: string;
  readonly hostname: string;
}
