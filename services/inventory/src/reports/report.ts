import type { InventoryEvent } from '@muster/contracts';

/** What an agent sent for one step. */
export interface StepOutput {
  readonly hostKey: string;
  readonly output: string;
  readonly error: string;
  readonly exitCode: number;
  readonly epoch: number;
}

/** A body on its way to the object store. */
export interface PendingBody {
  readonly text: string;
  readonly digest: string;
}

/** One readable report: the fact it may become, and what it takes with it. */
export interface Report {
  readonly event: InventoryEvent;
  /** Goes to the object store before the event is appended. */
  readonly body?: PendingBody;
  /** Goes to the vault, never into a body or an event. */
  readonly secret?: { readonly name: string; readonly plaintext: string };
}

/** One step type: how large its output may be and how it is read. Throws ShapeError when it cannot be read. */
export interface ReportReader {
  readonly stepType: string;
  readonly maxBytes: number;
  readonly read: (step: StepOutput) => Report;
}
