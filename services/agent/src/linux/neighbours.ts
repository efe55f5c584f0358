import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunCommand } from './command';

/** An entry of the kernel's neighbour table. */
export interface Neighbour {
  readonly address: string;
  readonly interface: string;
  /** Lower case; absent while nothing answered. */
  readonly mac?: string;
}

/** Finds out which addresses of the attached networks are used. */
export interface NeighbourProbe {
  /** Makes the kernel ask for the addresses, and returns those that answered. */
  find(addresses: readonly string[], signal: AbortSignal): Promise<readonly Neighbour[]>;
}

/** The discard port: a datagram to it makes the kernel resolve the address and has no other effect. */
const DISCARD_PORT = 9;
/** Three requests, one second apart, and some time for the last answer. */
const ANSWER_MS = 3_300;
/** The kernel keeps 1,024 entries at most; unanswered ones count. */
const BATCH_MAX = 256;

export function kernelNeighbours(run: RunCommand): NeighbourProbe {
  return {
    find: async (addresses, signal) => {
      const found: Neighbour[] = [];
      for (let at = 0; at < addresses.length && !signal.aborted; at += BATCH_MAX) {
        const batch = addresses.slice(at, at + BATCH_MAX);
        await sendTo(batch);
        await delay(ANSWER_MS, undefined, { signal }).catch(() => undefined);
        const wanted = new Set(batch);
        const table = parseNeighbours((await run('ip', ['-json', 'neigh', 'show'], signal)).stdout);
        found.push(...table.filter(({ address, mac }) => mac !== undefined && wanted.has(address)));
      }
      return found;
    },
  };
}

interface IpNeighbour {
  readonly dst?: string;
  readonly dev?: string;
  readonly lladdr?: string;
  readonly state?: readonly string[];
}

/** Reads the output of `ip -json neigh show`. */
export function parseNeighbours(json: string): readonly Neighbour[] {
  if (json.trim() === '') return [];
  const entries = JSON.parse(json) as readonly IpNeighbour[];
  return entries.flatMap(({ dst, dev = '', lladdr, state = [] }) => {
    if (!dst) return [];
    const isKnown = lladdr !== undefined && !state.includes('FAILED') && !state.includes('INCOMPLETE');
    return [{ address: dst, interface: dev, ...(isKnown && { mac: lladdr.toLowerCase() }) }];
  });
}

async function sendTo(addresses: readonly string[]): Promise<void> {
  for (const family of ['udp4', 'udp6'] as const) {
    const own = addresses.filter((address) => isIPv4(address) === (family === 'udp4'));
    if (own.length === 0) continue;
    const socket = createSocket(family);
    socket.on('error', () => undefined);
    await Promise.all(
      own.map(
        (address) =>
          new Promise<void>((resolve) => socket.send(Buffer.alloc(1), DISCARD_PORT, address, () => resolve())),
      ),
    );
    socket.close();
  }
}
