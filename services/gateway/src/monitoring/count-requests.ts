import type { FastifyInstance } from 'fastify';
import type { HttpMetrics } from './http-metrics';

const MS_PER_SECOND = 1_000;
const NOTHING_SERVED = { handler: '', method: '' };

/** Counts every request from its arrival until its answer has ended or its client is gone. */
export function countRequests(server: Pick<FastifyInstance, 'addHook'>, metrics: HttpMetrics): void {
  server.addHook('onRequest', (request, reply, done) => {
    const { url } = request.routeOptions;
    const kind = url ? { handler: url.replace(/:(\w+)/g, '{$1}'), method: request.method } : NOTHING_SERVED;
    const { socket } = request.raw;
    const [startedMs, bytesBefore] = [performance.now(), socket.bytesWritten];
    metrics.running(kind, 1);
    reply.raw.once('close', () => {
      metrics.running(kind, -1);
      const seconds = (performance.now() - startedMs) / MS_PER_SECOND;
      metrics.answered(kind, reply.raw.statusCode, seconds, Math.max(0, socket.bytesWritten - bytesBefore));
    });
    done();
  });
}
