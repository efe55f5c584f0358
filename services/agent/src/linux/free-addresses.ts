import { StepFailed } from '../machine/machine.port';
import type { FreeAddresses } from '../steps/step-work';
import { execute, hasProgram, type RunCommand } from './command';
import type { NeighbourProbe } from './neighbours';

/** A network is scanned in blocks of at most this prefix, until there are enough free addresses. */
const BLOCK_PREFIX_MIN = 22;
const FREE_ADDRESSES_MAX = 8_000;
const SCAN_TIMEOUT_MS = 10 * 60_000;
const BITS = 32;

/**
 * Lists the unused addresses of IPv4 networks that this machine is attached to. Uses nmap where it is installed, otherwise the
 * kernel's neighbour table. @throws StepFailed for a network that is not in its canonical form
 */
export async function findFreeAddresses(
  networks: readonly string[],
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
      const used = hasNmap ? await scan(block, run, signal) : await ask(addresses, probe, signal);
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

/** Reads the addresses of hosts that are up from the XML of nmap. */
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
