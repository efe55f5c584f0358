import type { FastifyInstance } from 'fastify';
import { handlerLabel } from './handler-label';
import type { HttpMetrics } from './http-metrics';

const METHODS: readonly string[] = ['GET', 'HEAD'];
const MS_PER_SECOND = 1_000;

/** Counts every request for something that is downloaded, from its arrival until its answer has ended or its client is gone. */
export function countRequests(server: FastifyInstance, metrics: HttpMetrics): void {
  server.addHook('onRequest', (request, reply, done) => {
    const handler = handlerLabel(request.routeOptions.url);
    if (handler === undefined) return done();
    const { socket } = request.raw;
    const [startedMs, bytesBefore] = [performance.now(), socket.bytesWritten];
    metrics.running(handler, 1);
    reply.raw.once('close', () => {
      metrics.running(handler, -1);
      metrics.answered({
        handler,
        method: METHODS.includes(request.method) ? request.method : 'other',
        code: reply.raw.statusCode,
        seconds: (performance.now() - startedMs) / MS_PER_SECOND,
        bytes: Math.max(0, socket.bytesWritten - bytesBefore),
      });
    });
    done();
  });
}
