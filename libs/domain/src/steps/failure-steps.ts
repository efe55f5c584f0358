import { parseCidr } from '@muster/addresses';
import { addressesIn } from './machine-network';
import type { StepArguments, StepContext } from './step-context';

export const logsGather: StepArguments = (context) => {
  const { host, cluster } = context;
  if (host.hasLogs || !cluster) return undefined;
  return [
    JSON.stringify({
      cluster_id: cluster.id,
      host_id: host.hostId,
      infra_env_id: host.infraEnvId,
      bootstrap: host.isBootstrap,
      installer_gather: true,
      master_ips: host.isBootstrap ? controlPlaneAddresses(context) : null,
    }),
  ];
};

/** Where the bootstrap host finds the others of the control plane: in the primary machine network, or wherever a user put them. */
function controlPlaneAddresses({ cluster, others }: StepContext): readonly string[] {
  const network = cluster?.userManagedNetworking ? undefined : parseCidr(cluster?.machineNetworks[0] ?? '');
  return others()
    .filter(({ role, isBootstrap }) => role === 'master' && !isBootstrap)
    .flatMap(({ hardware }) => (hardware ? addressesIn(hardware, network) : []));
}

export const stopInstallation: StepArguments = () => [];
