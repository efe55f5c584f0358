/** The part of a recorded event that the view reads. */
export interface ObservedEvent {
  readonly id: string;
  readonly streamId: string;
  readonly type: string;
  readonly data: { readonly [member: string]: unknown };
}
