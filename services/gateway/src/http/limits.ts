/** Largest JSON body, in bytes. Inventory and connectivity reports of big hosts are the largest that are sent. */
export const JSON_BODY_MAX_BYTES = 4 * 1024 * 1024;
/** Largest uploaded log bundle, in bytes: the contract's own limit. */
export const LOG_BUNDLE_MAX_BYTES = 262_144_000;
/** Longest path parameter, in characters: ids are 36. */
export const PATH_PARAMETER_MAX_CHARACTERS = 128;
/** A client that takes longer than this to say what it wants is cut off. */
export const HEADERS_TIMEOUT_MS = 30_000;
/** A client that takes longer than this to send a whole request is cut off; log bundles come over slow lines. */
export const REQUEST_TIMEOUT_MS = 600_000;
/** Slowest JSON body: average bytes per second, once a body has taken longer than the time below. */
export const BODY_RATE_MIN_BYTES_PER_SECOND = 1_024;
export const BODY_RATE_GRACE_MS = 15_000;
/** Longest request id that is taken over from a client, in characters. */
export const REQUEST_ID_MAX_CHARACTERS = 128;
/** How often clients that take too long are looked for. */
export const SLOW_CLIENTS_CHECK_MS = 10_000;
