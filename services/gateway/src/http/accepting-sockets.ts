import { spawn } from 'node:child_process';
import type { Server as HttpServer } from 'node:http';
import { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Number of sockets that accept the connections of an address, in addition to that of its server. libuv accepts one connection of each
 * socket in a turn of the event loop, so a process whose turns take 100 ms would accept 10 connections per second with one socket.
 */
export const ACCEPTING_SOCKETS = 15;

/**
 * Sends the socket of each server back, which duplicates it. Node.js has no other way. The socket is closed in the same turn, before this
 * process accepts a connection.
 */
const COPIER = `process.on('message', (number, server) => {
  process.send(number, server);
  server.close();
});`;

/** Further sockets that accept the connections of a server. */
export interface AcceptingSockets {
  /** Resolves when all of them accept connections, with their number; with fewer when the others cannot be created. */
  readonly complete: Promise<number>;
  /** Accepts nothing more. Resolves when the connections that they accepted are closed. */
  close(): Promise<void>;
}

/**
 * Lets a listening server accept more connections per turn of the event loop. The server handles the connections as its own. It does
 * not wait for them when it is closed.
 */
export function addAcceptingSockets(server: Server): AcceptingSockets {
  const copies: Server[] = [];
  const ends: Promise<void>[] = [];
  let isClosed = false;
  const end = (copy: Server): void => void ends.push(new Promise((resolve) => void copy.close(() => resolve())));

  const copier = spawn(process.execPath, ['--eval', COPIER], { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  copier.on('message', (_number, copy) => {
    if (!(copy instanceof Server)) return;
    if (isClosed) return end(copy);
    copy.on('connection', (socket) => server.emit('connection', socket));
    if (copies.push(copy) < ACCEPTING_SOCKETS) duplicate();
    else copier.kill();
  });
  const complete = new Promise<number>((resolve) => {
    copier.once('error', () => resolve(copies.length));
    copier.once('close', () => resolve(copies.length));
  });
  // A failure is followed by the end of the copier.
  const duplicate = (): void => void copier.send(copies.length, server, () => undefined);
  duplicate();

  return {
    complete,
    close: async () => {
      isClosed = true;
      copier.kill();
      copies.forEach(end);
      await complete;
      await Promise.all(ends);
    },
  };
}

/** Adds accepting sockets to an endpoint when it listens. They are closed with it. `warn` receives the reason when some are missing. */
export function acceptFromManySockets(
  fastify: Pick<FastifyInstance, 'addHook'> & { readonly server: HttpServer },
  warn: (text: string) => void,
): void {
  let sockets: AcceptingSockets | undefined;
  let closed: Promise<void> | undefined;
  fastify.addHook('onListen', (done) => {
    sockets = addAcceptingSockets(fastify.server);
    void sockets.complete.then((count) => {
      if (count < ACCEPTING_SOCKETS && !closed)
        warn(
          `Only ${count} of ${ACCEPTING_SOCKETS} additional sockets accept connections, because the helper process ${process.execPath} failed. Under load, new connections wait longer. Check the limits on processes and file descriptors, then restart.`,
        );
    });
    done();
  });
  fastify.addHook('preClose', (done) => {
    closed = sockets?.close();
    fastify.server.closeIdleConnections();
    done();
  });
  fastify.addHook('onClose', async () => closed);
}
