import type { AgentLogEntry } from '@muster/service-agent';

/** Power and boot state of a simulated machine. */
export type PowerState = 'off' | 'starting' | 'discovery' | 'installing' | 'installed';

/** Receives what happens in a simulation. Every member is optional; none may throw. */
export interface SimulationObserver {
  /** A program reported a stage to the service. `percent`: 0 to 100 of the installation of the host. */
  onStage?(host: SimulatedHostRef, stage: string, percent: number): void;
  onPower?(host: SimulatedHostRef, state: PowerState): void;
  /** The machine joined its cluster as a node, or the node became ready. */
  onNode?(host: SimulatedHostRef, state: 'joined' | 'ready'): void;
  onAgentNote?(host: SimulatedHostRef, note: AgentLogEntry): void;
  /** The controller reported a finalizing stage or logged an entry. */
  onController?(clusterId: string, what: string): void;
  /** A fault happened, or a call of an installation failed and the installation continues. */
  onTrouble?(host: SimulatedHostRef, what: string): void;
  /** The download of the image failed and will be repeated. Called again only for another reason. */
  onImageRetry?(reason: string): void;
}

export interface SimulatedHostRef {
  readonly hostId: string;
  readonly hostname: string;
}
