import type { IgnitionFile, IgnitionUnit } from '../config/ignition-config';
import { textFile } from '../config/ignition-file';
import { hostNetworkFiles, networkScripts } from '../static-network/network-files';
import { NETWORK_UNIT_NAME, networkUnit } from '../static-network/network-unit';
import type { StaticNetwork } from './discovery-input';

/** How the live system gets the network that was described for its machine. */
export function staticNetwork(network: StaticNetwork | undefined): {
  readonly files: readonly IgnitionFile[];
  readonly units: readonly IgnitionUnit[];
} {
  if (!network || network.hosts.length === 0) return { files: [], units: [] };
  const { hosts, form, delaySeconds } = network;
  return {
    files: [...hostNetworkFiles(hosts, form), ...networkScripts()].map(({ path, mode, content }) =>
      textFile(path, mode, content),
    ),
    units: [
      { name: NETWORK_UNIT_NAME, enabled: true, contents: networkUnit(form, 'live-system', delaySeconds) },
      // The service of the operating system that applies the policies in /etc/nmstate; its preset leaves it disabled.
      ...(form === 'nmpolicy' ? [{ name: 'nmstate.service', enabled: true }] : []),
    ],
  };
}
