import { type RoleCandidate, suggestRoles } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { eligibleDisks, type Hardware, hasCores, hasMemory, requirementsOf } from '@muster/validation-rules';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import { type ClusterEntry, type HostEntry, RegistrationView } from './registration-view';

const BYTES_PER_GIB = 1024 ** 3;

/** Automatic roles: suggested while a cluster is open, assigned when its installation starts. */
@Injectable()
export class RoleProcess {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
  ) {}

  async suggest(cluster: ClusterEntry, hosts: readonly HostEntry[]): Promise<void> {
    if (!this.config.autoAssignsRoles || !hosts.some(({ state }) => state.role === 'auto-assign')) return;
    const byId = new Map(hosts.map((host) => [host.state.hostId, host]));
    const candidates = hosts.map((host) => this.candidate(cluster, host));
    for (const { hostId, role } of suggestRoles(candidates, cluster.state.settings.controlPlaneCount ?? 3)) {
      const host = byId.get(hostId);
      if (!host) continue;
      await this.aggregates.hosts.handle(
        host.key,
        { type: 'SuggestRole', at: this.aggregates.now(), role },
        this.aggregates.ownContext(host.lastEventId),
      );
    }
  }

  /** What was suggested becomes assigned. */
  async assignSuggested(clusterId: string, context: CommandContext): Promise<void> {
    for (const { key, state } of this.view.hostsOf(clusterId)) {
      if (state.role !== 'auto-assign' || !state.suggestedRole) continue;
      const at = this.aggregates.now();
      await this.aggregates.hosts.handle(
        key,
        { type: 'AssignRole', at, role: state.suggestedRole },
        { ...context, commandId: `${context.commandId}/role/${key}` },
      );
    }
  }

  private candidate({ state: { settings } }: ClusterEntry, { state, hardware }: HostEntry): RoleCandidate {
    const table = requirementsOf(this.config.requirements, settings.openshiftVersion ?? '');
    const controlPlane = settings.controlPlaneCount === 1 ? table.sno : table.master;
    const meets = (needs: { cpuCores: number; ramMib: number }): boolean =>
      hardware !== undefined && hasCores(hardware, needs.cpuCores) && hasMemory(hardware, needs.ramMib);
    return {
      hostId: state.hostId,
      status: state.status,
      role: state.role,
      suggestedRole: state.suggestedRole,
      size: hardware && sizeOf(hardware, settings.openshiftVersion ?? '', table.worker.diskSizeGb),
      canBeControlPlane: meets(controlPlane),
      canBeArbiter: meets(table.arbiter),
    };
  }
}

function sizeOf(hardware: Hardware, openshiftVersion: string, minDiskGb: number): NonNullable<RoleCandidate['size']> {
  const disks = eligibleDisks(hardware, openshiftVersion, minDiskGb);
  return {
    cores: hardware.cpuCount,
    usableMemoryGib: hardware.usableMemoryBytes / BYTES_PER_GIB,
    eligibleDisksGib: disks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / BYTES_PER_GIB,
    hasGpu: hardware.gpuCount > 0,
  };
}
