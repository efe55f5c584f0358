import type { HostKey, MachineIdentity, Plain } from '@muster/contracts';
import { isAnotherMachine, isIntruder } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';

/** Machines remembered per process; a live machine claims at least every few minutes. */
const MAX_REMEMBERED_MACHINES = 50_000;

/** Which machine speaks as a host. Two live ones with one id are a conflict: the intruder's reports are not taken. */
@Injectable()
export class IdentityClaims {
  private readonly claimedAt = new Map<string, string>();

  constructor(private readonly aggregates: Aggregates) {}

  /** Whether an inventory counts as the host's own. */
  async admits(key: HostKey, inventory: string, context: CommandContext): Promise<boolean> {
    const machine = identityOf(inventory, context.sourceAddress ?? '');
    if (!machine || machine.macAddresses.length === 0) return true;
    const { state } = await this.aggregates.hosts.load(key);
    const at = this.aggregates.now();
    this.remember(`${key} ${fingerprint(machine)}`, at);

    const rivals = state.conflict
      ? [state.conflict.known, state.conflict.intruder]
      : state.machine
        ? [state.machine]
        : [];
    const other = rivals.find((rival) => isAnotherMachine(rival, machine));
    const result = await this.aggregates.hosts.handle(
      key,
      {
        type: 'ClaimIdentity',
        at,
        machine,
        otherMachineSeenAt: other && this.claimedAt.get(`${key} ${fingerprint(other)}`),
      },
      { ...context, commandId: `${context.commandId}#identity` },
    );
    return !isIntruder(result.state, machine);
  }

  private remember(claim: string, at: string): void {
    this.claimedAt.delete(claim);
    this.claimedAt.set(claim, at);
    if (this.claimedAt.size <= MAX_REMEMBERED_MACHINES) return;
    const oldest = this.claimedAt.keys().next();
    if (!oldest.done) this.claimedAt.delete(oldest.value);
  }
}

const fingerprint = (machine: Plain<MachineIdentity>): string => [...machine.macAddresses].sort().join(',');

/** undefined for what is no inventory: the inventory service says what is wrong with it. */
function identityOf(text: string, sourceAddress: string): Plain<MachineIdentity> | undefined {
  let inventory: {
    interfaces?: { mac_address?: unknown; type?: unknown }[];
    system_vendor?: { serial_number?: unknown };
  } | null;
  try {
    inventory = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(inventory?.interfaces)) return undefined;
  const macAddresses = inventory.interfaces
    .filter((nic) => nic?.type === undefined || nic.type === '' || nic.type === 'physical')
    .map((nic) => nic?.mac_address)
    .filter((mac): mac is string => typeof mac === 'string' && mac !== '' && mac !== '00:00:00:00:00:00')
    .map((mac) => mac.toLowerCase())
    .sort();
  const serial = inventory.system_vendor?.serial_number;
  return { macAddresses, serialNumber: typeof serial === 'string' ? serial : '', bootId: '', sourceAddress };
}
