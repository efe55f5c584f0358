import type { Server } from 'node:net';

/** Closes further connections of an address that has `max` open ones. 0: no limit. */
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
