/** Live copies of stored events: `event.v1.<category>`. All categories and the beacons: `event.v1.>`. */
export const ALL_EVENTS = 'event.v1.>';
export const eventSubject = (category: string): string => `event.v1.${category}`;
/** The position of the last event, published by the relay while no event is stored. Not a category: it has a second token. */
export const HEAD_BEACON = 'event.v1.head.beacon';
/** A projection has committed up to a position. */
export const projectionSubject = (projection: string): string => `projection.v1.${projection}`;
export const ALL_PROJECTIONS = 'projection.v1.*';
