import type { Plain, VipVerification } from '@muster/contracts';
import { verifyByFreeAddresses } from '@muster/addresses';
import {
  addressesOf,
  type ClusterFacts,
  type ClusterHostFacts,
  type ClusterSettingsFacts,
  hasCores,
  hasMemory,
  type HostRequirements,
  isSingleNode,
  requirementsOf,
  type RulesPolicy,
} from '@muster/validation-rules';
import type { FactsView } from './facts-view';
import type { ClusterEntry, HostEntry } from './view-entries';

/** Returns the snapshot of one cluster that its rules read. */
export function toClusterFacts(cluster: ClusterEntry, view: FactsView, policy: RulesPolicy): ClusterFacts {
  const hosts = view.hostsOf(cluster);
  return {
    policy,
    settings: cluster.facts,
    hosts: hosts.map((host) => (host.summary ??= summarize(host, cluster.facts, policy))),
    vipVerifications: (cluster.vipVerifications ??= combinedVerifications(cluster.facts, hosts)),
  };
}

function summarize(
  { key, state, reports }: HostEntry,
  cluster: ClusterSettingsFacts,
  policy: RulesPolicy,
): ClusterHostFacts {
  const { hardware } = reports;
  const table = requirementsOf(policy.requirements, cluster.openshiftVersion);
  const isEnough = ({ cpuCores, ramMib }: HostRequirements): boolean =>
    hardware !== undefined && hasCores(hardware, cpuCores) && hasMemory(hardware, ramMib);
  return {
    hostKey: key,
    status: state.status,
    kind: state.kind,
    role: state.role,
    suggestedRole: state.suggestedRole,
    hasInventory: hardware !== undefined,
    hardware,
    installationDiskId: state.installationDisk.id,
    addresses: hardware ? addressesOf(hardware) : [],
    canBeControlPlane: isEnough(isSingleNode(cluster) ? table.sno : table.master),
    canBeArbiter: isEnough(table.arbiter),
    hasFencingCredentials: state.settings.fencingCredentialsSet ?? false,
    clockOffsetSeconds: reports.clockOffsetSeconds,
  };
}

/** Hosts may disagree: one that found another machine on the address outweighs the others. Silent hosts do not count. */
function combinedVerifications(cluster: ClusterSettingsFacts, hosts: readonly HostEntry[]): Plain<VipVerification>[] {
  const answers = hosts.filter(({ state }) => !state.isSilent).flatMap(({ reports }) => reports.vips);
  const combined = (vipType: string, vips: readonly string[]): Plain<VipVerification>[] =>
    vips.map((vip, index) => {
      const own = new Set(
        answers.filter((one) => one.vip === vip && one.vipType === vipType).map(({ verification }) => verification),
      );
      const verification =
        ['failed', 'succeeded'].find((one) => own.has(one)) ?? verifiedByLists(vip, index, cluster, hosts);
      return { vip, vipType, verification };
    });
  return [...combined('api', cluster.apiVips), ...combined('ingress', cluster.ingressVips)];
}

/** No host has verified the address itself: the lists of free addresses of its network count. */
function verifiedByLists(
  vip: string,
  index: number,
  { machineNetworks }: ClusterSettingsFacts,
  hosts: readonly HostEntry[],
): string {
  const network = machineNetworks[index];
  const reported = hosts
    .filter(({ state }) => !state.isSilent)
    .flatMap(({ reports }) => reports.freeAddresses.filter((one) => one.network === network));
  const different = new Map(reported.map(({ text, ranges }) => [text, ranges]));
  return verifyByFreeAddresses([...different.values()], vip);
}
