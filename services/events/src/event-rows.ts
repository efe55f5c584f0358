type TypedEvent = { readonly type: string; readonly data: unknown };

/** The data of each event of a union, by event type. */
export type DataByType<Event extends TypedEvent> = {
  readonly [Type in Event['type']]: Extract<Event, { readonly type: Type }>['data'];
};

/** The union of the events with that data. The compiler relates `type` and `data` of a value of this type to each other. */
export type EventWith<Data, Type extends keyof Data = keyof Data> = {
  readonly [One in Type]: { readonly type: One; readonly data: Data[One] };
}[Type];

/** A table of pure functions by event type. An event without a row has no result. */
export type EventRows<Data, Subject, Result> = {
  readonly [Type in keyof Data]?: (data: Data[Type], subject: Subject) => Result;
};

/** Applies the row of an event. Undefined when the table has none. */
export const rowsOf =
  <Data, Subject, Result>(rows: EventRows<Data, Subject, Result>) =>
  <Type extends keyof Data>(event: EventWith<Data, Type>, subject: Subject): Result | undefined =>
    rows[event.type]?.(event.data, subject);
