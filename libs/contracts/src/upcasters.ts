import type { JsonObject } from '@muster/ports';

/** Converts the stored data of an older shape to the shape of this version: one function per event type, applied to every read. */
export type Upcasters = { readonly [eventType: string]: (data: JsonObject) => JsonObject };

/**
 * The upcasters of this version. An upcaster must also accept data that already has the current shape, because one
 * stream may hold events of both shapes. What is stored never changes.
 */
export const UPCASTERS: Upcasters = {};
