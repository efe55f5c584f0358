import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StepFailed } from '../machine/machine.port';
import type { DhcpLeaseRequest, DhcpLeases } from '../steps/step-work';
import { execute, type RunCommand } from './command';

const LEASE_TIMEOUT_SECONDS = 28;
const [API, INGRESS] = ['api', 'ingress'];
/** The virtual interfaces of the requests. */
export const LEASE_INTERFACES: readonly string[] = [API, INGRESS];

/**
 * Requests DHCP leases for the VIPs, each on a virtual interface with the MAC address of its VIP.
 * @throws StepFailed without an answer, ProgramMissing without dhclient
 */
export async function allocateLeases(
  order: DhcpLeaseRequest,
  run: RunCommand,
  signal: AbortSignal,
): Promise<DhcpLeases> {
  const { apiVipLease, apiVipMac, ingressVipLease, ingressVipMac, interface: parent } = order;
  const api = await allocate({ name: API, mac: apiVipMac, earlier: apiVipLease, parent }, run, signal);
  const ingress = await allocate({ name: INGRESS, mac: ingressVipMac, earlier: ingressVipLease, parent }, run, signal);
  return {
    api_vip_address: addressOf(api),
    ingress_vip_address: addressOf(ingress),
    api_vip_lease: api,
    ingress_vip_lease: ingress,
  };
}

interface Allocation {
  readonly name: string;
  readonly mac: string;
  /** The earlier lease, or empty. */
  readonly earlier: string;
  readonly parent: string;
}

async function allocate(
  { earlier, mac, name, parent }: Allocation,
  run: RunCommand,
  signal: AbortSignal,
): Promise<string> {
  const file = join(tmpdir(), `muster-lease-${name}`);
  await run('ip', ['link', 'delete', name], signal);
  await execute(run, 'ip', ['link', 'add', 'link', parent, 'name', name, 'address', mac, 'type', 'macvlan'], signal);
  try {
    await execute(run, 'ip', ['link', 'set', name, 'up'], signal);
    // dhclient asks for the address of an earlier lease of the same interface.
    await writeFile(file, earlier.replace(/interface "[^"]*";/, `interface "${name}";`));
    const identity = `${mac.replaceAll(':', '-')}-${name}`;
    const args = ['-v', '-H', identity, '-sf', '/bin/true', '-lf', file, '--no-pid', '-1', name];
    await execute(run, 'dhclient', args, signal, { timeoutMs: LEASE_TIMEOUT_SECONDS * 1000 });
    return lastLease(await readFile(file, 'utf8'), parent);
  } finally {
    // The agent may have ended. Its next process would take the address of this interface for one of the machine.
    const { signal: never } = new AbortController();
    // After a lease, dhclient continues in the background, also without its interface.
    await run('pkill', ['-f', `dhclient .*-lf ${file} `], never).catch(() => undefined);
    await run('ip', ['link', 'delete', name], never);
    await rm(file, { force: true });
  }
}

/**
 * Returns the last lease of a lease file of dhclient.
 * @throws StepFailed when there is none
 */
export function lastLease(text: string, parent: string): string {
  const lease = [...text.matchAll(/^lease \{[\s\S]*?^\}$/gm)].at(-1)?.[0];
  if (!lease) throw new StepFailed(`No DHCP server on the network of ${parent} offered a lease.`);
  return lease;
}

const addressOf = (lease: string): string => /fixed-address ([^;]+);/.exec(lease)?.[1] ?? '';
