import { PROBLEMS } from '@muster/problems';
import type { MachineIdentity } from '../machine/machine.port';

/** The connection of one host to the service. HTTP and NATS use the same handlers. */
export interface Transport {
  /** @throws TransportRefused or TransportUnreachable */
  register(agentVersion: string, identity: MachineIdentity, signal: AbortSignal): Promise<Registration>;
  nextSteps(agentVersion: string, timestampSeconds: number, signal: AbortSignal): Promise<Instructions>;
  reply(reply: StepReply, signal: AbortSignal): Promise<void>;
  /** Calls `onNudge` at each wake-up. A transport without wake-ups never does. Returns a function that ends it. */
  listen(onNudge: () => void): () => void;
  close(): Promise<void>;
}

export interface Registration {
  /** Image from which steps are run. The agent sends it with every later request. */
  readonly agentVersion: string;
}

export interface Instructions {
  readonly steps: readonly StepInstruction[];
  readonly nextInstructionSeconds: number;
  /** `exit`: register again. */
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

/** The service refused the request. `status` as in the v2 API for every transport. */
export class TransportRefused extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
  ) {
    super(`The service refused (${status}): ${reason}`);
    this.name = 'TransportRefused';
  }

  /** The limit for the size of a message differs between the transports. */
  get isTooLarge(): boolean {
    return this.status === PROBLEMS['too-large'].status;
  }
}

/** The service did not answer, so it is unknown whether it executed the request. */
export class TransportUnreachable extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'TransportUnreachable';
  }
}
