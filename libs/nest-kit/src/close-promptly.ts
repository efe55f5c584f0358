import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';

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
