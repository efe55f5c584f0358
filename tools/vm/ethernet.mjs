/**
 * The network of several machines: a learning switch, and a router that leads to this machine's loopback. Each machine has one card on
 * the switch, so the machines reach each other directly, and all of them reach this machine as 10.0.2.2.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { userNetwork } from './virtual-machine.mjs';

const LENGTH_BYTES = 4;
const MAC_BYTES = 6;

/**
 * Starts the switch and the router.
 * @param {{ folder: string, forwards: { address: string, port: number, to: number }[] }} options
 * @returns the path of the socket to which machines connect
 */
export async function startNetwork({ folder, forwards }) {
  const path = join(folder, 'switch.sock');
  const switching = await startSwitch(path);
  const args = [
    ...['-machine', 'none', '-nodefaults', '-no-user-config', '-display', 'none'],
    ...['-netdev', userNetwork({ id: 'router', forwards })],
    ...['-netdev', `stream,id=cable,server=off,addr.type=unix,addr.path=${path}`],
    ...['-netdev', 'hubport,id=hub0,hubid=0,netdev=router', '-netdev', 'hubport,id=hub1,hubid=0,netdev=cable'],
  ];
  const router = spawn('qemu-system-x86_64', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return {
    path,
    close: () => {
      router.kill('SIGKILL');
      switching.close();
    },
  };
}

/** Forwards each frame to the port where its destination was seen, and to all other ports while that is not known. */
function startSwitch(path) {
  const ports = new Set();
  const seenAt = new Map();
  const send = (frame, port) => {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(frame.length);
    port.write(Buffer.concat([length, frame]));
  };
  const forward = (frame, from) => {
    const [target, source] = [frame.toString('hex', 0, MAC_BYTES), frame.toString('hex', MAC_BYTES, 2 * MAC_BYTES)];
    seenAt.set(source, from);
    const known = seenAt.get(target);
    for (const port of known ? [known] : ports) if (port !== from) send(frame, port);
  };
  const server = createServer((port) => {
    let rest = Buffer.alloc(0);
    ports.add(port);
    port.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= LENGTH_BYTES) {
        const end = LENGTH_BYTES + rest.readUInt32BE(0);
        if (rest.length < end) return;
        forward(rest.subarray(LENGTH_BYTES, end), port);
        rest = rest.subarray(end);
      }
    });
    port.on('error', () => {});
    port.on('close', () => {
      ports.delete(port);
      for (const [mac, at] of seenAt) if (at === port) seenAt.delete(mac);
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () =>
      resolve({
        close: () => {
          for (const port of ports) port.destroy();
          server.close();
        },
      }),
    );
  });
}
