import { type HostKey, InventoryService } from '@muster/contracts';
import {
  chooseBootstrap,
  effectiveRole,
  type HostCommand,
  type HostState,
  type HostSurroundings,
  installableDisks,
  isDay2,
  isInstallationComplete,
  isRoleConfirmed,
  NOT_EVALUATED,
} from '@muster/domain';
import { callService, REQUESTS } from '@muster/nest-kit';
import type { Requests } from '@muster/ports';
import {
  chooseInstallationDisk,
  controlPlaneCountOf,
  decisiveVersion,
  type Disk,
  type IgnoredRules,
  recordedBlockingIds,
  toClusterSettingsFacts,
} from '@muster/validation-rules';
import { Inject, Injectable } from '@nestjs/common';
import { Aggregates } from '../aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import { Evaluations, isChange } from '../reactions/evaluations';
import { RegistrationView } from '../view/registration-view';
import type { HostEntry } from '../view/view-entries';

/** Inputs of the choice of an installation disk, in addition to the cluster and the infra-env of the host. */
type DiskInputs = Pick<HostEntry, 'state' | 'hardware'>;

/** Determines on which disks a host may be installed, by release, role and hardware. */
@Injectable()
export class InstallationDisks {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly view: RegistrationView,
    private readonly aggregates: Aggregates,
  ) {}

  eligible({ state, hardware }: DiskInputs): readonly Disk[] {
    if (!hardware) return [];
    const cluster = this.view.cluster(state.clusterId)?.state.settings;
    const infraEnv = this.view.infraEnv(state.infraEnvId)?.state.settings;
    return installableDisks(
      hardware,
      {
        effectiveRole: effectiveRole(state),
        openshiftVersion: decisiveVersion(state.kind, cluster?.openshiftVersion, infraEnv?.openshiftVersion),
        isSingleNode: cluster?.controlPlaneCount === 1,
      },
      this.config,
    );
  }

  /** Returns the command for another installation disk; undefined when it is the same or the disks are unknown. */
  commandFor(inputs: DiskInputs): HostCommand | undefined {
    if (!inputs.hardware) return undefined;
    const { id, path } = inputs.state.installationDisk;
    const chosen = chooseInstallationDisk({ diskId: id, diskPath: path }, this.eligible(inputs));
    if (chosen.diskId === id && chosen.diskPath === path) return undefined;
    return { type: 'ChooseInstallationDisk', at: this.aggregates.now(), ...chosen, byUser: false };
  }
}

const NO_RULES: IgnoredRules = [];

/** Reacts to changes that concern a host: of its cluster, its outcomes and its reports. */
@Injectable()
export class HostProcess {
  constructor(
    @Inject(REQUESTS) private readonly requests: Requests,
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
    private readonly disks: InstallationDisks,
    private readonly evaluations: Evaluations,
  ) {}

  /** Returns the position of the last event stored, or 0. */
  async react(key: HostKey): Promise<number> {
    const entry = this.view.host(key);
    if (!entry || entry.state.status === 'unregistered') return 0;
    if (await this.hasLostInfraEnv(entry))
      return this.store(entry, [{ type: 'Deregister', at: this.aggregates.now() }]);
    await this.clearVoidImageCheck(entry);
    const due = [...this.commandsFor(entry)];
    if (this.keepOutcomes(due, entry)) return this.refresh(entry, due);
    let position = 0;
    for (const command of due) position = Math.max(position, await this.store(entry, [command]));
    return Math.max(position, await this.refresh(entry));
  }

  /** An infra-env with hosts is not deleted, but the host may have registered at the same time. */
  private async hasLostInfraEnv({ state: { infraEnvId } }: HostEntry): Promise<boolean> {
    if (this.view.infraEnv(infraEnvId)) return false;
    return (await this.aggregates.infraEnvs.load(infraEnvId)).state.status === 'deregistered';
  }

  /**
   * Stores a transition that rests on outcomes only when they include every event that they depend on. The commands `before` it
   * are stored in the same append. They must not change outcomes.
   */
  private async refresh(entry: HostEntry, before: readonly HostCommand[] = []): Promise<number> {
    const { hostDecider } = this.aggregates;
    const unconfirmed = this.refreshCommand(entry);
    const state = this.stateAfter(before, entry);
    const decision = hostDecider.decide(unconfirmed, state);
    if (decision.kind === 'accepted')
      return this.store(entry, decision.events.length > 0 ? [...before, unconfirmed] : before);
    if (!isChange(hostDecider.decide(confirmedFor(state, unconfirmed), state))) return this.store(entry, before);
    if (!(await this.evaluations.areCurrent(entry.key, entry))) return this.store(entry, before);
    return this.store(entry, [...before, confirmedFor(this.stateAfter(before, entry), this.refreshCommand(entry))]);
  }

  /** Returns true when no rule reads what the commands change. */
  private keepOutcomes(commands: readonly HostCommand[], entry: HostEntry): boolean {
    if (commands.length === 0) return true;
    const cluster = this.view.cluster(entry.state.clusterId);
    if (!cluster || !commands.every(({ type }) => type === 'AssignRole')) return false;
    const { operators } = toClusterSettingsFacts(cluster.state);
    return isRoleConfirmed(entry.state, this.stateAfter(commands, entry), operators);
  }

  private stateAfter(commands: readonly HostCommand[], { state }: HostEntry): HostState {
    const { hostDecider } = this.aggregates;
    return commands.reduce((before, command) => {
      const decision = hostDecider.decide(command, before);
      return decision.kind === 'accepted' ? decision.events.reduce(hostDecider.evolve, before) : before;
    }, state);
  }

  private refreshCommand(entry: HostEntry): Refresh {
    return { type: 'Refresh', at: this.aggregates.now(), ...this.surroundings(entry) };
  }

  /** Reacts to a report. It changes the installation disk. The status changes after the report was evaluated. */
  async reactToReport(key: HostKey): Promise<number> {
    const entry = this.view.host(key);
    if (!entry || entry.state.status === 'unregistered') return 0;
    const command = this.disks.commandFor(entry);
    return command ? this.store(entry, [command]) : 0;
  }

  /** Returns the inputs of the host's decisions that are not in its stream. */
  surroundings(entry: HostEntry): HostSurroundings {
    const cluster = this.view.cluster(entry.state.clusterId);
    return {
      conditions: this.conditionsOf(entry),
      evaluatedRevision: NOT_EVALUATED,
      softTimeouts: this.config.softTimeouts,
      installerImage: this.config.images.installer,
      cluster: cluster && {
        status: cluster.state.status,
        // Computed only for the hosts that need it, because it is a sum over the cluster. Such a host is not installed, so it is not
        // counted, but the cluster still requires as many hosts of each role as with it.
        isInstallationQuorumMet:
          entry.state.status === 'installing-pending-user-action' &&
          isInstallationComplete(this.view.hostsOf(cluster.id), controlPlaneCountOf(cluster.state.settings)),
      },
    };
  }

  private conditionsOf({ state, conditions, outcomes }: HostEntry): HostSurroundings['conditions'] {
    if (!conditions) return undefined;
    const isBound = state.clusterId !== '';
    const ignored = this.view.cluster(state.clusterId)?.state.settings.ignoredHostValidations?.items ?? NO_RULES;
    return { ...conditions, ...recordedBlockingIds(outcomes, ignored, isBound) };
  }

  /** Role and bootstrap selection are final before the host leaves the status in which they may change. */
  private *commandsFor(entry: HostEntry): Generator<HostCommand> {
    const { clusterId, role, suggestedRole, isBootstrap } = entry.state;
    const at = this.aggregates.now();
    const disk = this.disks.commandFor(entry);
    if (disk) yield disk;
    const cluster = this.view.cluster(clusterId)?.state;
    if (cluster?.status === 'preparing-for-installation') {
      if (role === 'auto-assign' && suggestedRole) yield { type: 'AssignRole', at, role: suggestedRole };
      if (!isBootstrap && this.isChosen(entry, cluster.bootstrapHostId)) yield { type: 'ChooseBootstrap', at };
    } else if (cluster && this.runsThisService(entry)) {
      if (role !== 'master') yield { type: 'AssignRole', at, role: 'master' };
      if (!isBootstrap) yield { type: 'ChooseBootstrap', at };
    }
  }

  /** Two machines may have one host id, each in an infra-env of its own. Only one of them is the bootstrap host. */
  private isChosen({ key, state }: HostEntry, bootstrapHostId: string): boolean {
    if (state.hostId !== bootstrapHostId) return false;
    const hosts = this.view.hostsOf(state.clusterId).filter((host) => host.state.hostId === bootstrapHostId);
    return chooseBootstrap(hosts.map((host) => ({ ...host.state, hostId: host.key }))) === key;
  }

  /** Another bootstrap host would need this service after it was rebooted with its host. */
  private runsThisService({ hardware, state }: HostEntry): boolean {
    const { bootstrapHostMac } = this.config;
    if (bootstrapHostMac === '' || isDay2(state)) return false;
    return hardware?.nics?.some(({ macAddress }) => macAddress?.toLowerCase() === bootstrapHostMac) ?? false;
  }

  /** Discards the report of the last image check, so that the images are checked again. */
  private async clearVoidImageCheck(entry: HostEntry): Promise<void> {
    const { key, state, checkedImages } = entry;
    if (!state.isImageCheckVoid || checkedImages.length === 0) return;
    const request = { hostKey: key, stepType: 'container-image-availability', generation: state.generation };
    const context = this.aggregates.ownContext(entry);
    await callService(this.requests, InventoryService.method.clearReport, request, context);
  }

  /**
   * A refusal is expected: the host may have changed after the view read it. The event of that change triggers another
   * reaction.
   */
  private async store(entry: HostEntry, commands: readonly HostCommand[]): Promise<number> {
    if (commands.length === 0) return 0;
    const result = await this.aggregates.hosts.handle(entry.key, commands, this.aggregates.ownContext(entry));
    return result.kind === 'stored' ? result.position : 0;
  }
}

type Refresh = HostCommand & { readonly type: 'Refresh' };

/** Returns the command as it is after the outcomes were confirmed to include the last input of the host. */
const confirmedFor = ({ inputsRevision }: HostState, command: Refresh): Refresh => ({
  ...command,
  evaluatedRevision: inputsRevision,
});
