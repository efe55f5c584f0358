import type { MusterEvent } from '@muster/contracts';

/** What the view reads of a recorded event: its type, its data, its id and its stream. */
export type ObservedEvent<Event = MusterEvent> = Event & { readonly id: string; readonly streamId: string };
