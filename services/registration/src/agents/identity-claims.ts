import type { HardwareFacts, HostKey, MachineIdentity, Plain } from '@muster/contracts';
import { isAnotherMachine, isIntruder, machineOf } from '@muster/domain';
import { type CommandContext, BoundedMap } from '@muster/event-sourcing';
import { Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';

/** Machines kept in memory; a live machine claims its id every few minutes. */
const MAX_REMEMBERED_MACHINES = 50_000;

/** Detects two live machines with one host id. The reports of the second one are not accepted. */
@Injectable()
export class IdentityClaims {
  private readonly claimedAt = new BoundedMap<string, string>(MAX_REMEMBERED_MACHINES);

  constructor(private readonly aggregates: Aggregates) {}

  /** Whether the inventory is one of the host's own machine. */
  async admits(key: HostKey, hardware: Plain<HardwareFacts>, context: CommandContext): Promise<boolean> {
    const machine = machineOf(hardware, context.sourceAddress ?? '');
    if (machine.macAddresses.length === 0) return true;
    const { state } = await this.aggregates.hosts.load(key);
    const at = this.aggregates.now();
    this.claimedAt.set(`${key} ${fingerprintOf(machine)}`, at);

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
        otherMachineSeenAt: other && this.claimedAt.get(`${key} ${fingerprintOf(other)}`),
      },
      { ...context, commandId: `${context.commandId}#identity` },
    );
    return !isIntruder(result.state, machine);
  }
}

const fingerprintOf = (machine: Plain<MachineIdentity>): string => [...machine.macAddresses].sort().join(',');
