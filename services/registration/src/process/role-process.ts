import { type RoleCandidate, suggestRoles } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { hasCores, hasMemory, requirementsOf } from '@muster/validation-rules';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import { HardwareSizes } from './hardware-sizes';
import type { ClusterEntry, HostEntry } from './registration-view';

/** Automatic roles: suggested while a cluster is open, assigned when its installation starts. */
@Injectable()
export class RoleProcess {
  private readonly sizes = new HardwareSizes();

  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
  ) {}

  async suggest(cluster: ClusterEntry, hosts: readonly HostEntry[]): Promise<void> {
    if (!this.config.autoAssignsRoles || !hosts.some(({ state }) => state.role === 'auto-assign')) return;
    // One that was not inspected yet might be the better choice; so nothing is weighed before.
    if (hosts.some(({ hardware }) => !hardware)) return;
    const byId = new Map(hosts.map((host) => [host.state.hostId, host]));
    const candidates = hosts.map((host) => this.candidate(cluster, host));
    const at = this.aggregates.now();
    const suggestions = suggestRoles(candidates, cluster.state.settings.controlPlaneCount ?? 3);
    await Promise.all(
      suggestions.map(async ({ hostId, role }) => {
        const host = byId.get(hostId);
        if (!host) return;
        const context = this.aggregates.ownContext(host);
        await this.aggregates.hosts.handle(host.key, { type: 'SuggestRole', at, role }, context);
      }),
    );
  }

  /** What was suggested becomes assigned. */
  async assignSuggested(hosts: readonly HostEntry[], context: CommandContext): Promise<void> {
    const at = this.aggregates.now();
    await Promise.all(
      hosts.map(async ({ key, state: { role, suggestedRole } }) => {
        if (role !== 'auto-assign' || !suggestedRole) return;
        const ownContext = { ...context, commandId: `${context.commandId}/role/${key}` };
        await this.aggregates.hosts.handle(key, { type: 'AssignRole', at, role: suggestedRole }, ownContext);
      }),
    );
  }

  private candidate({ state: { settings } }: ClusterEntry, { state, hardware }: HostEntry): RoleCandidate {
    const version = settings.openshiftVersion ?? '';
    const table = requirementsOf(this.config.requirements, version);
    const controlPlane = settings.controlPlaneCount === 1 ? table.sno : table.master;
    const meets = (needs: { cpuCores: number; ramMib: number }): boolean =>
      hardware !== undefined && hasCores(hardware, needs.cpuCores) && hasMemory(hardware, needs.ramMib);
    return {
      hostId: state.hostId,
      status: state.status,
      role: state.role,
      suggestedRole: state.suggestedRole,
      size: hardware && this.sizes.of(hardware, version, table.worker.diskSizeGb),
      canBeControlPlane: meets(controlPlane),
      canBeArbiter: meets(table.arbiter),
    };
  }
}
