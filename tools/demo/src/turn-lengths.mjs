/**
 * Measures the turns of the event loop of a program: `TURN_LENGTHS_SOCKET=<path> node --import <this file> program.js`. Each line that
 * a client of the socket sends is answered with the longest turn since the line before, in milliseconds of CPU time of the main
 * thread. The load of the machine and other threads have no effect. Linux only.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

const FILE = `/proc/self/task/${process.pid}/schedstat`;
const cpuMs = () => Number(readFileSync(FILE, 'utf8').split(' ', 1)[0]) / 1_000_000;

const { TURN_LENGTHS_SOCKET: path } = process.env;
if (isMainThread && path) {
  let [longest, last] = [0, cpuMs()];
  setInterval(() => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1).unref();
  createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => {
      // After the timer of this turn: what has run until now counts.
      setTimeout(() => {
        socket.write(`${longest}\n`);
        longest = 0;
      }, 2);
    });
  })
    .listen(path)
    .unref();
}
