import {
  type ClusterSettings,
  type HostKey,
  hostKeyOf,
  type InventoryEvent,
  type MusterEvent,
  parseEvent,
  type Plain,
} from '@muster/contracts';
import type { Decision } from '@muster/decision';
import {
  clusterDecider,
  diskRefusal,
  effectiveRole,
  HOST_ROLES,
  hostDecider,
  installableDisks,
  placementIn,
  suggestRoles,
  toRoleCandidates,
} from '@muster/domain';
import { type ProblemCode, RefusalError } from '@muster/problems';
import {
  chooseInstallationDisk,
  deriveMachineNetworks,
  evaluateCluster,
  evaluateHost,
  hostBlockingStatus,
  NAME_RESOLUTION_RULES,
  type Outcome,
  type RulesPolicy,
  SUPPRESSED,
} from '@muster/validation-rules';
import { FactsView } from '../facts/facts-view';
import { toClusterFacts, toHostFacts } from '../facts/to-facts';
import type { ClusterEntry, HostEntry } from '../facts/view-entries';

/** Id of the cluster, infra-env and hosts of a dry run. */
const DRY_RUN_ID = '00000000-0000-0000-0000-000000000000';
const NO_OWNER = { userName: '', orgId: '', emailDomain: '' };
/** Disks depend on roles and roles on disks. After this many rounds nothing changes any more. */
const ROUNDS_MAX = 3;

const RESOLVED_RULES: ReadonlySet<string> = new Set(NAME_RESOLUTION_RULES.map(({ id }) => id));

/** A missing resolution is an error on a connected host. In a dry run no host resolves names. */
const notResolvedYet = (outcome: Outcome): Outcome =>
  outcome.status === 'error' && RESOLVED_RULES.has(outcome.id) ? { ...outcome, status: 'pending' } : outcome;

const isPresented = ({ status }: Outcome): boolean => status !== SUPPRESSED;

export interface DryRunHost {
  readonly hostId: string;
  readonly role: string;
  readonly requestedHostname: string;
  readonly installationDiskId: string;
  /**
   * Reports in the form of InventoryService.ReadReport, of the first generation, which is the generation of every host
   * of a dry run.
   */
  readonly reports: readonly InventoryEvent[];
}

export interface DryRunOutcome {
  readonly outcomes: readonly Outcome[];
  readonly hosts: readonly {
    readonly hostId: string;
    readonly role: string;
    readonly installationDiskId: string;
    readonly installationDiskPath: string;
    readonly outcomes: readonly Outcome[];
  }[];
  readonly machineNetworks: readonly string[];
}

export interface DryRunRegistration {
  readonly settings: Plain<ClusterSettings>;
  readonly pullSecretSet: boolean;
  /** As in the command that registers a cluster. */
  readonly requestedArchitecture?: string;
}

/** A dry run as ValidationService.DryRun takes it. */
export interface DryRunRequest extends DryRunRegistration {
  readonly hosts: readonly (Omit<DryRunHost, 'reports'> & {
    readonly reports: readonly { readonly type: string; readonly data?: object }[];
  })[];
}

/** @throws RefusalError when the cluster cannot be registered, a host cannot have its settings, or a report is not valid. */
export function evaluateDryRun(
  policy: RulesPolicy,
  at: string,
  { hosts, ...registration }: DryRunRequest,
): DryRunOutcome {
  const read = hosts.map(({ reports, ...host }) => ({
    ...host,
    reports: reports.map(({ type, data }) => parseEvent('inventory', type, data ?? {})),
  }));
  return new DryRun(policy, at).run(registration, read);
}

/**
 * Evaluates a cluster that is not stored: a separate view folds the events that the deciders return for its
 * registration and the reports of its hosts, and the rules evaluate that view.
 */
export class DryRun {
  private readonly view = new FactsView();
  private position = -1;

  constructor(
    private readonly policy: RulesPolicy,
    private readonly at: string,
  ) {}

  /** @throws RefusalError when the cluster cannot be registered or a host cannot have its settings. */
  run(registration: DryRunRegistration, hosts: readonly DryRunHost[]): DryRunOutcome {
    this.registerCluster(registration);
    const keys = hosts.map((host) => this.registerHost(host));
    this.deriveNetworks();
    for (let round = 0; round < ROUNDS_MAX && this.chooseDisksAndRoles(keys); round += 1) continue;
    const results = keys.map((key) => this.evaluateHostOutcomes(this.host(key)));
    const outcomes = evaluateCluster(toClusterFacts(this.cluster(), this.view, this.policy)).filter(isPresented);
    return { outcomes, hosts: results, machineNetworks: this.cluster().facts.machineNetworks };
  }

  private registerCluster({ pullSecretSet, requestedArchitecture, settings }: DryRunRegistration): void {
    this.decideCluster({
      type: 'Register',
      at: this.at,
      clusterId: DRY_RUN_ID,
      kind: 'Cluster',
      settings,
      owner: NO_OWNER,
      pullSecretSet,
      olmOperators: [],
      openshiftClusterId: '',
      imported: false,
      requestedArchitecture,
    });
  }

  private registerHost({ hostId, role, requestedHostname, installationDiskId, reports }: DryRunHost): HostKey {
    const key = hostKeyOf(DRY_RUN_ID, hostId);
    if (this.view.host(key))
      throw new RefusalError({
        code: 'invalid-input',
        reason: `Host id ${hostId} is used twice. Use each id once.`,
        subject: 'host_id',
      });
    const placement = placementIn(this.cluster().state);
    const wanted = HOST_ROLES.find((known) => known === role && known !== 'auto-assign') ?? placement.role;
    this.decideHost(key, {
      type: 'Register',
      at: this.at,
      infraEnvId: DRY_RUN_ID,
      hostId,
      clusterId: DRY_RUN_ID,
      ...placement,
      role: wanted,
      bootstrap: placement.bootstrap && wanted === placement.role,
      owner: NO_OWNER,
      agentVersion: this.policy.agentImage,
      clusterAcceptsHosts: true,
    });
    for (const report of reports) this.record(`inventory-${key}`, report);
    if (requestedHostname) this.decideHost(key, { type: 'Rename', at: this.at, hostname: requestedHostname });
    if (installationDiskId) this.selectDisk(this.host(key), installationDiskId);
    return key;
  }

  private deriveNetworks(): void {
    const cluster = this.cluster();
    const hardware = this.view.hostsOf(cluster).flatMap(({ reports }) => reports.hardware ?? []);
    const cidrs = deriveMachineNetworks(cluster.facts, hardware);
    if (cidrs) this.decideCluster({ type: 'DeriveMachineNetworks', at: this.at, cidrs });
  }

  /** Sets disks and roles. Returns true when anything has changed. */
  private chooseDisksAndRoles(keys: readonly HostKey[]): boolean {
    const before = this.position;
    for (const key of keys) this.chooseDisk(this.host(key), this.host(key).state.installationDisk.id);
    const { facts } = this.cluster();
    const hosts = keys.map((key) => {
      const { state, reports } = this.host(key);
      return { key, state, hardware: reports.hardware };
    });
    for (const { key, role } of suggestRoles(toRoleCandidates(hosts, facts, this.policy), facts.controlPlaneCount))
      this.decideHost(key, { type: 'SuggestRole', at: this.at, role });
    return this.position > before;
  }

  /** A registered host refuses such a disk too. The result would be that of another disk. */
  private selectDisk(host: HostEntry, wanted: string): void {
    const refusal = diskRefusal(wanted, this.disksOf(host), 'installation_disk_id');
    if (refusal) throw new RefusalError(refusal);
    this.chooseDisk(host, wanted);
  }

  private chooseDisk(host: HostEntry, wanted: string): void {
    if (!host.reports.hardware) return;
    const disk = chooseInstallationDisk({ diskId: wanted, diskPath: '' }, this.disksOf(host));
    if (disk.diskId === host.state.installationDisk.id) return;
    this.decideHost(host.key, { type: 'ChooseInstallationDisk', at: this.at, ...disk, byUser: false });
  }

  private disksOf({ state, reports: { hardware } }: HostEntry): ReturnType<typeof installableDisks> {
    const { openshiftVersion, controlPlaneCount } = this.cluster().facts;
    const host = { effectiveRole: effectiveRole(state), openshiftVersion, isSingleNode: controlPlaneCount === 1 };
    return hardware ? installableDisks(hardware, host, this.policy) : [];
  }

  /** For the cluster, a host counts as ready when only pending outcomes block it, because they may still pass. */
  private evaluateHostOutcomes(entry: HostEntry): DryRunOutcome['hosts'][number] {
    const found = evaluateHost(toHostFacts(entry, this.view, this.policy));
    const outcomes = (entry.reports.resolutions ? found : found.map(notResolvedYet)).filter(isPresented);
    const ignored = this.cluster().facts.ignoredHostRules;
    const isBlocked = outcomes.some(
      (outcome) => outcome.status !== 'pending' && hostBlockingStatus(outcome, ignored, true).isBlocking,
    );
    const status = isBlocked ? 'insufficient' : 'known';
    this.record(`host-${entry.key}`, {
      type: 'HostEnteredStatus',
      data: { status, from: entry.state.status, transition: 'dryRun', at: this.at, cause: '' },
    });
    const { state } = this.host(entry.key);
    return {
      hostId: state.hostId,
      role: effectiveRole(state),
      installationDiskId: state.installationDisk.id,
      installationDiskPath: state.installationDisk.path,
      outcomes,
    };
  }

  private decideCluster(command: Parameters<typeof clusterDecider.decide>[0]): void {
    const state = this.view.cluster(DRY_RUN_ID)?.state ?? clusterDecider.initialState();
    this.store(`cluster-${DRY_RUN_ID}`, clusterDecider.decide(command, state));
  }

  private decideHost(key: HostKey, command: Parameters<typeof hostDecider.decide>[0]): void {
    const state = this.view.host(key)?.state ?? hostDecider.initialState();
    this.store(`host-${key}`, hostDecider.decide(command, state));
  }

  private store(streamId: string, decision: Decision<MusterEvent, ProblemCode>): void {
    if (decision.kind === 'refused') throw new RefusalError(decision.refusal);
    for (const event of decision.events) this.record(streamId, event);
  }

  private record(streamId: string, event: MusterEvent): void {
    this.position += 1;
    this.view.observe({ ...event, id: `dryRun-${this.position}`, streamId });
  }

  private cluster(): ClusterEntry {
    const cluster = this.view.cluster(DRY_RUN_ID);
    if (!cluster) throw new Error('The cluster of the dry run is missing.');
    return cluster;
  }

  private host(key: HostKey): HostEntry {
    const host = this.view.host(key);
    if (!host) throw new Error(`Host ${key} of the dry run is missing.`);
    return host;
  }
}
