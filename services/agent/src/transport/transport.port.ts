import type { MachineIdentity } from '../machine/machine.port';

/** The way from one host to the service. HTTP and NATS lead to the same handlers. */
export interface Transport {
  /** Throws TransportRefused, TransportUnreachable. */
  register(agentVersion: string, identity: MachineIdentity, signal: AbortSignal): Promise<Registration>;
  nextSteps(agentVersion: string, timestampSeconds: number, signal: AbortSignal): Promise<Instructions>;
  reply(reply: StepReply, signal: AbortSignal): Promise<void>;
  /** Calls `onNudge` when the service has work; a transport that cannot be nudged never does. Returns the way to stop. */
  listen(onNudge: () => void): () => void;
  close(): Promise<void>;
}

export interface Registration {
  /** Image that steps are to be run from; goes with every later question. */
  readonly agentVersion: string;
}

export interface Instructions {
  readonly steps: readonly StepInstruction[];
  readonly nextInstructionSeconds: number;
  /** exit: register again. */
  readonly postStepAction: string;
}

export interface StepInstruction {
  readonly stepType: string;
  readonly stepId: string;
  readonly args: readonly string[];
}

export interface StepReply {
  readonly stepType: string;
  readonly stepId: string;
  readonly exitCode: number;
  readonly output: string;
  readonly error: string;
}

/** The service said no. `status` as in the HTTP contract, whatever the transport. */
export class TransportRefused extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
  ) {
    super(`The service refused (${status}): ${reason}`);
    this.name = 'TransportRefused';
  }
}

/** The service did not answer. Whether it did what was asked is unknown. */
export class TransportUnreachable extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'TransportUnreachable';
  }
}
