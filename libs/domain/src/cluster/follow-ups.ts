import { parseCidrs } from '@muster/addresses';
import type { HardwareFacts, Plain } from '@muster/contracts';
import { keptByObject } from '@muster/schema';
import {
  type ClusterBlockingIds,
  type ClusterConditions,
  controlPlaneCountOf,
  areNetworksAbandoned,
  deriveMachineNetworks,
  networkOfAddress,
  toClusterSettingsFacts,
} from '@muster/validation-rules';
import type { EvaluatedInputs } from '../evaluated-inputs';
import { hostStages } from '../host/stages';
import { type HostState, isDay2 } from '../host/state';
import { clusterPermits } from '../permissions';
import {
  type HostSummary,
  installationBlockingStatus,
  type SummarizedHost,
  summarizeHosts,
} from '../roles/host-summary';
import type { ClusterCommand } from './commands';
import type { ClusterState } from './state';

/** One host of the cluster: its state and, after its first inventory, its hardware. */
export interface ClusterMember {
  readonly state: HostState;
  readonly hardware?: Plain<HardwareFacts>;
}

/** Inputs of a cluster's follow-up commands that are not in its own stream. */
export interface ClusterSurroundings extends EvaluatedInputs {
  readonly hosts: readonly ClusterMember[];
  /** Absent before the first evaluation of the cluster. */
  readonly conditions?: ClusterConditions & ClusterBlockingIds;
  /** Result of the last preparation of artifacts. */
  readonly artifacts?: { readonly attempt: number; readonly openshiftClusterId: string; readonly failure?: string };
  readonly hasKubeconfig: boolean;
}

/**
 * Returns the commands that follow from the hosts, validations and artifacts of a cluster, in order. A command that
 * changes nothing stores nothing.
 */
export function* clusterFollowUps(
  state: ClusterState,
  { hosts, conditions, evaluatedRevision, artifacts, hasKubeconfig }: ClusterSurroundings,
  at: string,
): Generator<ClusterCommand> {
  if (
    state.status === 'preparing-for-installation' &&
    artifacts?.attempt === state.attempt &&
    state.preparation === 'pending'
  ) {
    const outcome = artifacts.failure
      ? ({ kind: 'failure', reason: artifacts.failure } as const)
      : ({ kind: 'success', openshiftClusterId: artifacts.openshiftClusterId } as const);
    yield { type: 'FinishPreparation', at, attempt: artifacts.attempt, outcome };
  }
  if (hasKubeconfig && !state.hasKubeconfig) yield { type: 'CompleteKubeconfig', at };
  if (clusterPermits('derive-machine-networks', state.status)) {
    const cidrs = derivedNetworks(hosts, state);
    if (cidrs) yield { type: 'DeriveMachineNetworks', at, cidrs };
  }
  if (clusterPermits('record-progress', state.status)) yield { type: 'RecordProgress', at, ...stageSums(state, hosts) };
  yield {
    type: 'Refresh',
    at,
    conditions,
    evaluatedRevision,
    hosts: summarizeMembers(hosts),
    singleNodeAddress: state.settings.controlPlaneCount === 1 ? singleNodeAddress(state, hosts[0]) : '',
  };
}

/** A host that has not reported its inventory again may still be in the networks. */
const derivedNetworks = keptByObject(
  (hosts: readonly ClusterMember[], state: ClusterState): readonly string[] | undefined => {
    const settings = toClusterSettingsFacts(state);
    const hardware = hosts.flatMap((host) => host.hardware ?? []);
    const areGone = state.areNetworksDerived && hardware.length === hosts.length;
    return (
      deriveMachineNetworks(settings, hardware) ??
      (areGone && areNetworksAbandoned(settings, hardware) ? [] : undefined)
    );
  },
);

/** Returns the counts of the day-1 hosts by status and role. They are kept by the array, whose hosts must not change. */
export const summarizeMembers = keptByObject((hosts: readonly ClusterMember[]): HostSummary =>
  summarizeHosts(hosts.filter(({ state }) => !isDay2(state)).map(toSummarizedHost)),
);

/** Returns whether enough of all hosts of the cluster are installed to complete it without the others. */
export const isInstallationComplete = (hosts: readonly ClusterMember[], controlPlaneCount: number): boolean =>
  installationBlockingStatus(summarizeHosts(hosts.map(toSummarizedHost)), controlPlaneCount) === 'enough-installed';

const toSummarizedHost = ({ state }: ClusterMember): SummarizedHost => ({
  status: state.status,
  role: state.role,
  suggestedRole: state.suggestedRole,
  isBootstrap: state.isBootstrap,
  hasReachedDone: state.progress.stage === 'Done',
  hasFencingCredentials: state.settings.fencingCredentialsSet ?? false,
});

/** Returns the sums over all hosts: reached stages and existing stages. */
function stageSums(
  cluster: ClusterState,
  hosts: readonly ClusterMember[],
): { readonly stagesReached: number; readonly stagesTotal: number } {
  let stagesReached = 0;
  let stagesTotal = 0;
  for (const { state } of hosts) {
    const stages = hostStages({
      role: state.role,
      isBootstrap: state.isBootstrap,
      isDay2: false,
      controlPlaneCount: controlPlaneCountOf(cluster.settings),
      isKubeApi: false,
    });
    stagesTotal += stages.length;
    stagesReached += state.progress.stage ? stages.indexOf(state.progress.stage) + 1 : 0;
  }
  return { stagesReached, stagesTotal };
}

/** Returns the address of the only host in the first machine network. Empty when there is none. */
function singleNodeAddress({ settings }: ClusterState, host: ClusterMember | undefined): string {
  const networks = parseCidrs(settings.machineNetworks?.items.slice(0, 1) ?? []);
  const addresses = (host?.hardware?.nics ?? []).flatMap((nic) => [...nic.ipv4Addresses, ...nic.ipv6Addresses]);
  const own = addresses.map((cidr) => cidr.split('/')[0] ?? '').find((address) => networkOfAddress(networks, address));
  return own ?? '';
}
