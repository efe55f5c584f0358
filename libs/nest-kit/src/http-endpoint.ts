import type { Server } from 'node:http';
import { type Unavailable, unavailableIn } from '@muster/ports';
import { type Refusal, RefusalError } from '@muster/problems';
import type { FastifyInstance } from 'fastify';

/** Whether an origin is one of those: `https://console.example.com`, or with `*` for any part: `https://*.example.com`. */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  return allowed.some((pattern) => {
    const [first = '', ...rest] = pattern.toLowerCase().split('*');
    const text = origin.toLowerCase();
    if (rest.length === 0) return text === first;
    const last = rest.at(-1) ?? '';
    // One star, as in assisted-image-service: the parts before and after it must not overlap.
    return text.startsWith(first) && text.endsWith(last) && text.length >= first.length + last.length;
  });
}

/** How long answers that are under way when an endpoint closes may still take, milliseconds. Then they are cut. */
export const CLOSE_MAX_WAIT_MS = 4_000;

/**
 * Lets an endpoint close as soon as the requests it accepted are answered. A connection that was busy when closing began is otherwise
 * kept open for its client's next request until the keep-alive timeout, and a slow download for as long as it takes.
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
  // Answers that had sent their headers before.
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

/** Checks that a resource works now. `check` returns why it does not, or undefined, and does not reject. */
export interface Probe {
  readonly part: string;
  check(): Promise<string | undefined>;
}

/** Injection token of the probes of the platform. */
export const PROBES = Symbol('Probes');

/** The probe that fails when the disk has less free space than the reserve of the event store. */
export const DISK_PROBE = 'disk';

/**
 * Refuses bodies that can be sent again later, so that the rest of the disk stays for the event store.
 * @throws RefusalError `insufficient-storage`
 */
export async function requireDiskReserve(probes: readonly Probe[]): Promise<void> {
  const reason = await probes.find(({ part }) => part === DISK_PROBE)?.check();
  if (reason) throw new RefusalError({ code: 'insufficient-storage', reason: `The body was not stored: ${reason}.` });
}

const FULL_DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL']);

/** Whether an error says that a disk or its quota is full. */
export const isFullDisk = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && FULL_DISK.has(String(error.code));

/** The answer to a command that failed because a server behind a port is away. */
export const unavailableRefusal = (error: Unavailable): Refusal => ({
  code: 'unavailable',
  reason: error.isOutcomeUnknown
    ? `${error.message}. The outcome of the command is unknown: it may have been stored. Read the resource, or repeat the request with the same command id (Idempotency-Key).`
    : `${error.message}. Nothing was stored. Try again in a few seconds.`,
});

/** A listener for errors of background work. While a server is away its outage has a line of its own, so these errors have none. */
export const logUnlessAway =
  (log: (text: string) => void) =>
  (error: Error): void => {
    const isAway = unavailableIn(error) ?? (error instanceof RefusalError && error.refusal.code === 'unavailable');
    if (!isAway) log(error.message);
  };
