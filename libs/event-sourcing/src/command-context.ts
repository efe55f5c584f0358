import type { EventMetadata } from '@muster/ports';

/** Origin of a command: caller, owner, and request. It becomes the metadata of the events. */
export interface CommandContext {
  /** Same id, same command: a repetition changes nothing and gets the first answer's position. */
  readonly commandId: string;
  readonly correlationId: string;
  readonly actor: string;
  readonly causationId?: string;
  readonly requestId?: string;
  readonly org?: string;
  readonly user?: string;
  readonly sourceAddress?: string;
}

export function toMetadata(context: CommandContext, occurredAt: string): EventMetadata {
  return { ...context, occurredAt };
}
