import type { Server } from 'node:http';
import { type Unavailable, unavailableIn } from '@muster/ports';
import { type Refusal, RefusalError } from '@muster/problems';
import { errorCode } from '@muster/schema';
import type { FastifyInstance } from 'fastify';

/**
 * Returns whether the origin is in the list: `https://console.example.com`, or with `*` for any part:
 * `https://*.example.com:*`.
 */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  return allowed.some((pattern) => {
    const [first = '', ...rest] = pattern.toLowerCase().split('*');
    const text = origin.toLowerCase();
    const last = rest.pop();
    if (last === undefined || !text.startsWith(first)) return text === first;
    // All parts occur in their order, and do not overlap.
    let end = first.length;
    for (const part of rest) {
      const begin = text.indexOf(part, end);
      if (begin < 0) return false;
      end = begin + part.length;
    }
    return text.endsWith(last) && text.length >= end + last.length;
  });
}

/** Headers of every answer that is not a page for browsers: no other media type, no frame, no address for other sites. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/** The port that a server listens on; 0 for a server on a socket file or one that does not listen. */
export function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** How long unfinished answers may take after an endpoint was closed, in milliseconds. Then they are ended. */
export const CLOSE_MAX_WAIT_MS = 4_000;

/**
 * Lets an endpoint close after the accepted requests were answered. Without it, a connection that was busy stays open
 * until the keep-alive timeout, and a slow download until its end.
 */
export function closePromptly(
  fastify: Pick<FastifyInstance, 'addHook'> & {
    readonly server: Pick<Server, 'closeIdleConnections' | 'closeAllConnections'>;
  },
  maxWaitMs = CLOSE_MAX_WAIT_MS,
): void {
  let cut: NodeJS.Timeout | undefined;
  fastify.addHook('preClose', (done) => {
    cut = setTimeout(() => fastify.server.closeAllConnections(), maxWaitMs);
    done();
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (cut) void reply.header('connection', 'close');
    done(null, payload);
  });
  // Closes the connections of answers whose headers were sent before the endpoint was closed.
  fastify.addHook('onResponse', (_request, _reply, done) => {
    if (cut) setImmediate(() => fastify.server.closeIdleConnections());
    done();
  });
  fastify.addHook('onClose', (_instance, done) => {
    clearTimeout(cut);
    done();
  });
}

/** The parts of a process that are not ready, with the reason. */
export class Readiness {
  private readonly parts = new Map<string, () => string | undefined>();

  /** `check` returns why the part is not ready, or undefined. */
  register(part: string, check: () => string | undefined): void {
    this.parts.set(part, check);
  }

  notReady(): { readonly part: string; readonly reason: string }[] {
    return [...this.parts].flatMap(([part, check]) => {
      const reason = check();
      return reason ? [{ part, reason }] : [];
    });
  }
}

/**
 * Checks whether a resource works. `check` returns the reason why it does not, or undefined. `check` does not reject.
 */
export interface Probe {
  readonly part: string;
  check(): Promise<string | undefined>;
}

/** Injection token of the probes of the platform. */
export const PROBES = Symbol('Probes');

/** Returns the probe that fails when the free space of the disk is below the reserve of the event store. */
export const DISK_PROBE = 'disk';

/**
 * Refuses bodies that can be sent again later, so that the remaining space is available to the event store.
 * @throws RefusalError `insufficient-storage`
 */
export async function requireDiskReserve(probes: readonly Probe[]): Promise<void> {
  const reason = await probes.find(({ part }) => part === DISK_PROBE)?.check();
  if (reason) throw new RefusalError({ code: 'insufficient-storage', reason: `The body was not stored: ${reason}.` });
}

/** Codes of the operating system, of SQLite, and of MinIO for a full disk or an exceeded quota. */
const FULL_DISK: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'SQLITE_FULL',
  'XMinioStorageFull',
  'XMinioAdminBucketQuotaExceeded',
]);

/** Returns whether an error reports a full disk or quota. */
export const isFullDisk = (error: unknown): boolean => FULL_DISK.has(errorCode(error) ?? '');

/**
 * Returns whether an error reports that another process had locked a database for longer than a write waits. Nothing was stored, and a
 * repetition may succeed.
 */
export const isLockedFile = (error: unknown): boolean => /^SQLITE_BUSY/.test(errorCode(error) ?? '');

/** Returns the refusal of a command that failed because a server behind a port is not available. */
export const unavailableRefusal = (error: Pick<Unavailable, 'message' | 'isOutcomeUnknown'>): Refusal => ({
  code: 'unavailable',
  reason: error.isOutcomeUnknown
    ? `${error.message}. The outcome of the command is unknown: it may have been stored. Read the resource, or repeat the request with the same command id (Idempotency-Key).`
    : `${error.message}. Nothing was stored. Try again in a few seconds.`,
});

/**
 * Returns a listener for errors of background work, with the key of the work where it has one. Errors of unavailable servers are not
 * logged, because the outage itself is logged.
 */
export const logUnlessUnavailable =
  (log: (text: string) => void) =>
  (error: Error, key?: string): void => {
    const isUnavailable =
      unavailableIn(error) ?? (error instanceof RefusalError && error.refusal.code === 'unavailable');
    if (!isUnavailable) log(key === undefined ? error.message : `${key}: ${error.message}`);
  };
