import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import multipart from '@fastify/multipart';
import { closePromptly, type TlsFiles } from '@muster/nest-kit';
import { type TurnLimits, TurnQueue } from '@muster/ports';
import { textAt, urlHost } from '@muster/schema';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyHttpOptions, FastifyInstance, FastifyReply } from 'fastify';
import {
  BODY_RATE_GRACE_MS,
  HEADERS_TIMEOUT_MS,
  JSON_BODY_MAX_BYTES,
  leaveBodiesUnread,
  leaveRestsUnread,
  LOG_BUNDLE_MAX_BYTES,
  PATH_PARAMETER_MAX_CHARACTERS,
  REQUEST_HEAD_MAX_BYTES,
  REQUEST_ID_MAX_CHARACTERS,
  REQUEST_TIMEOUT_MS,
  SLOW_CLIENTS_CHECK_MS,
} from './request-body';
import { answerFromKeptBodies } from './kept-bodies';
import { cleanPath, type RouteTable } from './routes';
import { errorAnswer, logBrokenAnswers } from './error.filter';

/** Closes new connections of an address that has `max` open ones. 0: no limit. */
export function limitConnections(server: Server, max: number): void {
  if (max === 0) return;
  const openByAddress = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    const open = (openByAddress.get(address) ?? 0) + 1;
    if (open > max) return void socket.destroy();
    openByAddress.set(address, open);
    socket.once('close', () => {
      const left = (openByAddress.get(address) ?? 1) - 1;
      if (left === 0) openByAddress.delete(address);
      else openByAddress.set(address, left);
    });
  });
}

/** Timeouts for slow clients, in milliseconds. */
export interface WaitTimeout {
  readonly headersMs: number;
  readonly requestMs: number;
  /** Maximum time for the rest of a body whose request is answered. */
  readonly restMs: number;
  /** Interval of the check for slow clients. */
  readonly checkMs: number;
}

const TIMEOUT: WaitTimeout = {
  headersMs: HEADERS_TIMEOUT_MS,
  requestMs: REQUEST_TIMEOUT_MS,
  restMs: BODY_RATE_GRACE_MS,
  checkMs: SLOW_CLIENTS_CHECK_MS,
};

/** Creates the HTTP server as the v2 API requires it: cleaned paths, any JSON value as a body, limits with a name. */
export function createFastifyServer(
  routes: RouteTable,
  waitTimeout: WaitTimeout = TIMEOUT,
  tls?: TlsFiles,
): FastifyAdapter {
  const limits = {
    maxHeaderSize: REQUEST_HEAD_MAX_BYTES,
    headersTimeout: waitTimeout.headersMs,
    connectionsCheckingInterval: waitTimeout.checkMs,
  };
  const options: FastifyHttpOptions<Server> = {
    rewriteUrl: (request) => cleanPath(request.url ?? '/'),
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    bodyLimit: JSON_BODY_MAX_BYTES,
    requestTimeout: waitTimeout.requestMs,
    clientErrorHandler: refuseUnreadable,
    http: limits,
    routerOptions: { maxParamLength: PATH_PARAMETER_MAX_CHARACTERS },
    frameworkErrors: ({ message, statusCode = 400 }, request, reply) => {
      const error = { status: statusCode, message: `The request cannot be routed: ${message}` };
      const { status, type, body } = errorAnswer(request.url, error);
      // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the type of a reply to an unroutable request cannot name its own status codes
      void (reply as unknown as FastifyReply).status(status).type(type).send(JSON.stringify(body));
    },
  };
  // No middleware exists, so the hook that runs middleware is left out.
  const adapter = new FastifyAdapter({ ...options, ...(tls && { https: { ...limits, ...tls } }), skipMiddie: true });
  const server = adapter.getInstance();
  startInTurns(server);
  server.addHook('onRequest', (request, reply, done) => {
    addHost(request.raw);
    void reply.header('X-Request-Id', request.id);
    done();
  });
  server.addHook('onRoute', (route) => routes.add(route.url, route.method));
  closePromptly(server);
  leaveBodiesUnread(server);
  leaveRestsUnread(server, waitTimeout.restMs);
  answerFromKeptBodies(server);
  logBrokenAnswers(server);
  readUploads(server);
  return adapter;
}

/** A client of HTTP/1.0 may name no host. The URLs in its answer have the local address of the connection, at which it reached this service. */
function addHost({ headers, socket }: IncomingMessage): void {
  // The address of a connection is read from the system.
  if (headers.host || !socket.localAddress) return;
  headers.host = `${urlHost(socket.localAddress.replace(/^::ffff:/i, ''))}:${socket.localPort}`;
}

/** Answers a request that has no URL, because its head is not HTTP, too long or too slow, and ends the connection. */
function refuseUnreadable(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const found = unreadable(error);
  const { body, type } = errorAnswer('', found);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${found.status} ${STATUS_CODES[found.status]}`,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  socket.destroy(error);
}

function unreadable(error: Error & { readonly code?: string }): { readonly status: number; readonly message: string } {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return { status: 408, message: 'The request arrived too slowly' };
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return {
      status: 431,
      message: `The request line and the headers are too long: at most ${REQUEST_HEAD_MAX_BYTES} bytes are allowed`,
    };
  return { status: 400, message: `The request is not valid HTTP/1.1: ${textAt(error, 'reason') ?? error.message}` };
}

/**
 * Time in which requests start in one turn of the event loop. Hundreds of hosts may send a request in the same turn, and timers and
 * other connections would wait for all of them.
 */
export const REQUEST_TIME: TurnLimits = { minMs: 15, share: 0.3, maxMs: 25 };

function startInTurns(server: FastifyInstance): void {
  const arrivals = new TurnQueue(REQUEST_TIME);
  server.addHook('onRequest', (_request, _reply, done) => void arrivals.run(done));
}

/**
 * Registers the parser of uploads without its hooks. They remove temporary files after every request, with two promises and
 * a listener each, and no upload is written to such a file.
 */
function readUploads(server: FastifyInstance): void {
  const limits = { files: 1, fields: 8, parts: 9, fileSize: LOG_BUNDLE_MAX_BYTES + 1 };
  multipart(Object.create(server, { addHook: { value: () => server } }), { limits }, (error) => {
    if (error) throw error;
  });
}

/** A request id of the client is used when it is safe to log. */
function requestIdOf(given: string | string[] | undefined): string {
  const isFit = typeof given === 'string' && given.length <= REQUEST_ID_MAX_CHARACTERS && /^[\w.:-]+$/.test(given);
  return isFit ? given : randomUUID();
}
