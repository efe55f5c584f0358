import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { formatIp, parseIp } from '@muster/addresses';
import { createJsonReader } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import { StepFailed } from '../machine/machine.port';
import type { FreeAddresses, VerifiedVip, Vip } from '../steps/step-work';
import { execute, hasProgram, type RunCommand } from './command';

/** An entry of the neighbour table of the kernel. */
export interface Neighbour {
  readonly address: string;
  readonly interface: string;
  /** Lower case. Absent when the address did not answer. */
  readonly mac?: string;
}

/** Determines which addresses of the attached networks are in use. */
export interface NeighbourProbe {
  /** Makes the kernel resolve the addresses, and returns those that answered. @throws StepFailed without the table */
  find(addresses: readonly string[], signal: AbortSignal): Promise<readonly Neighbour[]>;
}

/** The discard port. A datagram to it makes the kernel resolve the address and has no other effect. */
const DISCARD_PORT = 9;
/** Time for three requests at intervals of one second, and for the last answer. */
const ANSWER_MS = 3_300;
/** The kernel asks an address that answered earlier only after five seconds, and then three times. */
const ANSWER_AGAIN_MS = 5_200;
/** States of an entry whose address has not answered again. */
const UNCONFIRMED = ['STALE', 'DELAY', 'PROBE'];
/** The kernel stores at most 1,024 entries, including unanswered ones. */
const BATCH_MAX = 256;

export function kernelNeighbours(run: RunCommand): NeighbourProbe {
  return {
    find: async (addresses, signal) => {
      const found: Neighbour[] = [];
      for (let at = 0; at < addresses.length && !signal.aborted; at += BATCH_MAX) {
        const batch = addresses.slice(at, at + BATCH_MAX);
        await sendTo(batch);
        const wanted = new Set(batch);
        const readAfter = async (ms: number): Promise<string> => {
          await delay(ms, undefined, { signal }).catch(() => undefined);
          // Without the table, all addresses would count as free.
          return execute(run, 'ip', ['-json', 'neigh', 'show'], signal);
        };
        let table = await readAfter(ANSWER_MS);
        if (isUnconfirmed(table, wanted)) table = await readAfter(ANSWER_AGAIN_MS);
        found.push(...parseNeighbours(table).filter(({ address, mac }) => mac !== undefined && wanted.has(address)));
      }
      return found;
    },
  };
}

const NEIGHBOURS = Type.Array(
  Type.Object({
    dst: Type.Optional(Type.String()),
    dev: Type.Optional(Type.String()),
    lladdr: Type.Optional(Type.String()),
    state: Type.Optional(Type.Array(Type.String())),
  }),
);
const readNeighbours = createJsonReader(NEIGHBOURS, { name: 'the output of ip neigh' });

const entriesOf = (json: string): ReturnType<typeof readNeighbours> => (json.trim() === '' ? [] : readNeighbours(json));

/** Whether the machine of one of the addresses may be gone since it answered. */
const isUnconfirmed = (json: string, addresses: ReadonlySet<string>): boolean =>
  entriesOf(json).some(
    ({ dst = '', state = [] }) => addresses.has(dst) && state.some((one) => UNCONFIRMED.includes(one)),
  );

/** Parses the output of `ip -json neigh show`. */
export function parseNeighbours(json: string): readonly Neighbour[] {
  return entriesOf(json).flatMap(({ dst, dev = '', lladdr, state = [] }) => {
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
    // A kernel without IPv6 opens no socket for it. Then the callbacks of `send` are never called.
    const failed = new Promise<void>((resolve) => socket.on('error', () => resolve()));
    const sent = own.map(
      (address) => new Promise<void>((resolve) => socket.send(Buffer.alloc(1), DISCARD_PORT, address, () => resolve())),
    );
    await Promise.race([failed, Promise.all(sent)]);
    socket.close();
  }
}

/** Networks are scanned in blocks of this prefix length until enough free addresses are found. */
const BLOCK_PREFIX_MIN = 22;
const FREE_ADDRESSES_MAX = 8_000;
const SCAN_TIMEOUT_MS = 10 * 60_000;
const BITS = 32;

/**
 * Returns the unused addresses of IPv4 networks to which this machine is attached. Uses nmap when it is installed,
 * otherwise the neighbour table of the kernel, which does not contain the addresses of this machine.
 * @throws StepFailed for a network that is not in canonical form
 */
export async function findFreeAddresses(
  networks: readonly string[],
  ownAddresses: readonly string[],
  run: RunCommand,
  probe: NeighbourProbe,
  signal: AbortSignal,
): Promise<readonly FreeAddresses[]> {
  const hasNmap = await hasProgram(run, 'nmap', signal);
  const result: FreeAddresses[] = [];
  for (const network of networks) {
    const free: string[] = [];
    for (const block of blocksOf(network)) {
      if (free.length >= FREE_ADDRESSES_MAX || signal.aborted) break;
      const addresses = addressesOf(block);
      const others = hasNmap ? await scan(block, run, signal) : await ask(addresses, probe, signal);
      const used = new Set([...others, ...ownAddresses]);
      free.push(...addresses.filter((address) => !used.has(address)));
    }
    result.push({ network, free_addresses: free.slice(0, FREE_ADDRESSES_MAX) });
  }
  return result;
}

async function scan(block: string, run: RunCommand, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const args = ['-sn', '-PR', '-n', '-oX', '-', block];
  return new Set(upAddresses(await execute(run, 'nmap', args, signal, { timeoutMs: SCAN_TIMEOUT_MS })));
}

/** Returns the addresses of hosts that are up, from the XML output of nmap. */
export function upAddresses(xml: string): readonly string[] {
  return [...xml.matchAll(/<host\b[\s\S]*?<\/host>/g)].flatMap(([host]) =>
    /<status state="up"/.test(host) ? (/<address addr="([^"]+)" addrtype="ipv[46]"/.exec(host)?.[1] ?? []) : [],
  );
}

async function ask(
  addresses: readonly string[],
  probe: NeighbourProbe,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  return new Set((await probe.find(addresses, signal)).map(({ address }) => address));
}

function parseNetwork(network: string): { readonly base: number; readonly prefix: number } {
  const [, address = '', prefixText = ''] = /^(\d+\.\d+\.\d+\.\d+)\/(\d+)$/.exec(network) ?? [];
  const bytes = address.split('.').map(Number);
  const prefix = Number(prefixText);
  const base = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  const isCanonical =
    prefixText !== '' && prefix <= BITS && bytes.every((byte) => byte < 256) && base % 2 ** (BITS - prefix) === 0;
  if (!isCanonical) throw new StepFailed(`"${network}" is not an IPv4 network. Write it as 192.0.2.0/24.`);
  return { base, prefix };
}

function* blocksOf(network: string): Generator<string> {
  const { base, prefix } = parseNetwork(network);
  const blockPrefix = Math.max(prefix, BLOCK_PREFIX_MIN);
  for (let at = base; at < base + 2 ** (BITS - prefix); at += 2 ** (BITS - blockPrefix))
    yield `${toText(at)}/${blockPrefix}`;
}

function addressesOf(block: string): readonly string[] {
  const { base, prefix } = parseNetwork(block);
  return Array.from({ length: 2 ** (BITS - prefix) }, (_, number) => toText(base + number));
}

const toText = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');

/** Returns for each VIP whether a machine already uses it: `failed` when one answers. */
export async function verifyVips(
  vips: readonly Vip[],
  run: RunCommand,
  probe: NeighbourProbe,
  signal: AbortSignal,
): Promise<readonly VerifiedVip[]> {
  // As nmap and the kernel write them. A user may have written an IPv6 address in another form.
  const addresses = vips.map(({ vip }) => canonical(vip));
  const used = new Set(
    (await hasProgram(run, 'nmap', signal))
      ? await scanAll(addresses, run, signal)
      : [
          ...(await probe.find(addresses, signal)).map(({ address }) => address),
          ...(await pingAll(addresses, run, signal)),
        ],
  );
  return vips.map(({ vip, vip_type }) => ({
    vip,
    vip_type,
    verification: used.has(canonical(vip)) ? 'failed' : 'succeeded',
  }));
}

function canonical(text: string): string {
  const address = parseIp(text);
  return address ? formatIp(address) : text;
}

async function scanAll(addresses: readonly string[], run: RunCommand, signal: AbortSignal): Promise<readonly string[]> {
  const found: string[] = [];
  for (const address of addresses) {
    const family = address.includes(':') ? ['-6'] : [];
    found.push(...upAddresses(await execute(run, 'nmap', [...family, '-sn', '-n', '-oX', '-', address], signal)));
  }
  return found;
}

/** A VIP outside of the attached networks is not in the neighbour table. */
async function pingAll(addresses: readonly string[], run: RunCommand, signal: AbortSignal): Promise<readonly string[]> {
  const answers = await Promise.all(
    addresses.map((address) => run('ping', ['-c', '2', '-W', '2', '-q', address], signal).catch(() => undefined)),
  );
  return addresses.filter((_, index) => answers[index]?.exitCode === 0);
}
