import { type RoleCandidate, suggestRoles } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import {
  MOST_COUNTED,
  meetsControlPlaneOperators,
  NOTHING,
  type OperatorCluster,
  resourcesOfOperators,
  shapeOf,
} from '@muster/operators';
import {
  hasCores,
  hasMemory,
  operatorCluster,
  operatorHost,
  requirementsOf,
  toClusterSettingsFacts,
} from '@muster/validation-rules';
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
    const operators = this.operatorsOf(cluster, hosts);
    const candidates = hosts.map((host) => this.candidate(cluster, host, operators));
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

  /**
   * What operators make of the cluster, by the roles that people gave and by how many workers are going to be left: by
   * suggestions themselves it would go round in circles. Undefined when none is chosen.
   */
  private operatorsOf({ state }: ClusterEntry, hosts: readonly HostEntry[]): OperatorCluster | undefined {
    const facts = toClusterSettingsFacts(state);
    if (facts.operators.length === 0) return undefined;
    const given = shapeOf(hosts.map(({ state: { role } }) => ({ role, effectiveRole: role })));
    const open = hosts.filter(({ state: { role } }) => role === 'auto-assign').length;
    const masters = hosts.filter(({ state: { role } }) => role === 'master').length;
    const left = Math.max(0, open - Math.max(0, facts.controlPlaneCount - masters));
    const effectiveWorkers = Math.min(given.effectiveWorkers + left, MOST_COUNTED);
    return operatorCluster(facts, { ...given, effectiveWorkers }, this.config);
  }

  private candidate(
    { state: { settings } }: ClusterEntry,
    { state, hardware }: HostEntry,
    operators: OperatorCluster | undefined,
  ): RoleCandidate {
    const version = settings.openshiftVersion ?? '';
    const table = requirementsOf(this.config.requirements, version);
    const controlPlane = settings.controlPlaneCount === 1 ? table.sno : table.master;
    const meets = (needs: { cpuCores: number; ramMib: number }): boolean =>
      hardware !== undefined && hasCores(hardware, needs.cpuCores) && hasMemory(hardware, needs.ramMib);
    const installationDiskId = state.installationDisk.id;
    const asMaster = operatorHost({ role: 'master', suggestedRole: '', hardware, installationDiskId });
    const extra = operators ? resourcesOfOperators(asMaster, operators) : NOTHING;
    return {
      hostId: state.hostId,
      status: state.status,
      role: state.role,
      suggestedRole: state.suggestedRole,
      size: hardware && this.sizes.of(hardware, version, table.worker.diskSizeGb),
      canBeControlPlane:
        meets({ cpuCores: controlPlane.cpuCores + extra.cpuCores, ramMib: controlPlane.ramMib + extra.ramMib }) &&
        (!operators || meetsControlPlaneOperators(asMaster, operators)),
      canBeArbiter: meets(table.arbiter),
    };
  }
}
