import type { VerifiedVip, Vip } from '../steps/step-work';
import { execute, hasProgram, type RunCommand } from './command';
import { upAddresses } from './free-addresses';
import type { NeighbourProbe } from './neighbours';

/** Tells for each VIP whether a machine answers on it already: `failed` when one does. */
export async function verifyVips(
  vips: readonly Vip[],
  run: RunCommand,
  probe: NeighbourProbe,
  signal: AbortSignal,
): Promise<readonly VerifiedVip[]> {
  const addresses = vips.map(({ vip }) => vip);
  const used = new Set(
    (await hasProgram(run, 'nmap', signal))
      ? await scanAll(addresses, run, signal)
      : [
          ...(await probe.find(addresses, signal)).map(({ address }) => address),
          ...(await pingAll(addresses, run, signal)),
        ],
  );
  return vips.map(({ vip, vip_type }) => ({ vip, vip_type, verification: used.has(vip) ? 'failed' : 'succeeded' }));
}

async function scanAll(addresses: readonly string[], run: RunCommand, signal: AbortSignal): Promise<readonly string[]> {
  const found: string[] = [];
  for (const address of addresses) {
    const family = address.includes(':') ? ['-6'] : [];
    found.push(...upAddresses(await execute(run, 'nmap', [...family, '-sn', '-n', '-oX', '-', address], signal)));
  }
  return found;
}

/** A VIP outside the attached networks is in no neighbour table. */
async function pingAll(addresses: readonly string[], run: RunCommand, signal: AbortSignal): Promise<readonly string[]> {
  const answers = await Promise.all(
    addresses.map((address) => run('ping', ['-c', '2', '-W', '2', '-q', address], signal).catch(() => undefined)),
  );
  return addresses.filter((_, index) => answers[index]?.exitCode === 0);
}
