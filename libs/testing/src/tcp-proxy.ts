import { connect, createServer, type Server, type Socket } from 'node:net';
import { eventually } from './clock-and-ids';

/** A TCP proxy on loopback in front of a server, which can simulate faults of the server and of the network. */
export interface TcpProxy {
  readonly port: number;
  /** New connections are refused, and existing connections are reset. */
  refuse(): Promise<void>;
  /** Connections are accepted and stay open. No byte is forwarded. */
  freeze(): void;
  /** As `freeze`, after this number of further bytes of the server. */
  freezeAfter(bytes: number): void;
  /** Existing connections stay open, and no byte of them is forwarded. New connections work. */
  silence(): void;
  reset(): void;
  recover(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a proxy in front of a port of loopback. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let answerBytesLeft = Infinity;
  const accept = (near: Socket): void => {
    const far = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes: Buffer) => {
        if (answerBytesLeft <= 0 || silent.has(from)) return;
        to.write(bytes.subarray(0, from === far ? answerBytesLeft : bytes.length));
        if (from === far) answerBytesLeft -= bytes.length;
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  };
  let server: Server = createServer(accept);
  const listen = (on: number): Promise<void> =>
    new Promise((resolve, reject) => server.once('error', reject).listen(on, '127.0.0.1', resolve));
  await listen(0);
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const reset = (): void => {
    for (const socket of [...sockets]) socket.resetAndDestroy();
  };
  const refuse = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    reset();
    await closed;
  };
  return {
    port,
    reset,
    refuse,
    freeze: () => {
      answerBytesLeft = 0;
    },
    freezeAfter: (bytes) => {
      answerBytesLeft = bytes;
    },
    silence: () => {
      for (const socket of sockets) silent.add(socket);
    },
    recover: async () => {
      answerBytesLeft = Infinity;
      if (server.listening) return reset();
      // Another process may use the port meanwhile, for a connection of its own.
      await eventually('the port is free', () => {
        server = createServer(accept);
        return listen(port).then(
          () => true,
          () => false,
        );
      });
    },
    close: refuse,
  };
}
