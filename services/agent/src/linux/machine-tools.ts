import type { Interface } from '../machine/inventory';
import { type CommandResult, ProgramMissing, type RunCommand, TIMEOUT_EXIT_CODE } from './command';

/**
 * Addresses of the board management controller. The defaults are those of assisted-service v2 for unknown addresses.
 */
export interface BmcAddresses {
  readonly bmc_address: string;
  readonly bmc_v6address: string;
}

const NO_IPV4 = '0.0.0.0';
const NO_IPV6 = '::/0';
const CHANNELS = 12;
const NO_CONTROLLER = /^Could not open device/m;
const TOOL_TIMEOUT_MS = 5_000;

/**
 * Queries each channel of the controller with ipmitool. Returns the defaults when the tool or the controller is
 * missing.
 */
export async function readBmc(run: RunCommand, signal: AbortSignal): Promise<BmcAddresses> {
  const ask = (...args: string[]): Promise<CommandResult> =>
    run('ipmitool', args, signal, { timeoutMs: TOOL_TIMEOUT_MS });
  let [ipv4, ipv6] = [NO_IPV4, NO_IPV6];
  try {
    for (let channel = 1; channel <= CHANNELS && (ipv4 === NO_IPV4 || ipv6 === NO_IPV6); channel += 1) {
      const lan = await ask('lan', 'print', String(channel));
      // The other channels would have the same result.
      if (lan.exitCode === TIMEOUT_EXIT_CODE || NO_CONTROLLER.test(lan.stderr ?? '')) break;
      // A channel that does not exist, or that is a serial line or the bus to the host.
      if (lan.exitCode !== 0 || lan.stderr?.startsWith('Invalid channel')) continue;
      const address = /^IP Address\s+:\s*([\d.]+)\s*$/m.exec(lan.stdout)?.[1];
      if (ipv4 === NO_IPV4 && address) ipv4 = address;
      if (ipv6 === NO_IPV6) ipv6 = (await ipv6Of(ask, String(channel))) ?? NO_IPV6;
    }
  } catch (error) {
    if (!(error instanceof ProgramMissing)) throw error;
  }
  return { bmc_address: ipv4, bmc_v6address: ipv6 };
}

async function ipv6Of(
  ask: (...args: string[]) => Promise<CommandResult>,
  channel: string,
): Promise<string | undefined> {
  const { stdout } = await ask('lan6', 'print', channel, 'enables');
  if (!/IPv6\/IPv4 Addressing Enables\s*:\s*(both|ipv6)/i.test(stdout)) return undefined;
  for (const kind of ['dynamic_addr', 'static_addr']) {
    const found = activeAddress((await ask('lan6', 'print', channel, kind)).stdout);
    if (found) return found;
  }
  return undefined;
}

/** The output has one block of indented lines per address. */
function activeAddress(text: string): string | undefined {
  for (const block of text.split(/^(?=\S)/m)) {
    const value = (name: string): string =>
      new RegExp(`^\\s+${name}\\s*:\\s*(.*)$`, 'mi').exec(block)?.[1]?.trim().toLowerCase() ?? '';
    const isUsed = /^(dhcpv6|slaac)$/.test(value('Source/Type')) || /^(yes|true|enabled|on)$/.test(value('Enabled'));
    const address = value('Address').replace(/\/\d+$/, '');
    if (isUsed && value('Status') === 'active' && address !== '' && address !== '::') return address;
  }
  return undefined;
}

/** Returns whether systemd detects a virtual machine, false without systemd. Processors other than those of x86_64 do not show it. */
export async function isVirtualMachine(run: RunCommand, signal: AbortSignal): Promise<boolean> {
  try {
    const settings = { timeoutMs: TOOL_TIMEOUT_MS };
    const { exitCode, stdout } = await run('systemd-detect-virt', ['--vm'], signal, settings);
    return exitCode === 0 && !['', 'none'].includes(stdout.trim());
  } catch (error) {
    if (error instanceof ProgramMissing) return false;
    throw error;
  }
}

/** Adds the firmware names of network interfaces when biosdevname is installed. */
export async function withBiosNames(
  interfaces: readonly Interface[],
  run: RunCommand,
  signal: AbortSignal,
): Promise<readonly Interface[]> {
  const named: Interface[] = [];
  for (const one of interfaces) {
    const result = await run('biosdevname', ['-i', one.name], signal, { timeoutMs: TOOL_TIMEOUT_MS }).catch(
      (error: unknown) => {
        if (error instanceof ProgramMissing) return undefined;
        throw error;
      },
    );
    if (!result) return interfaces;
    const name = result.exitCode === 0 ? result.stdout.trim() : '';
    named.push(name === '' ? one : { ...one, biosdevname: name });
  }
  return named;
}
