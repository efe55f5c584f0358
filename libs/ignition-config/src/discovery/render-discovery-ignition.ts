import { type IgnitionConfig, sshKeysIn } from '../config/ignition-config';
import { agentFiles, agentUnit } from './agent-unit';
import { type DiscoveryInput, ignitionProxy, proxyFiles } from './discovery-input';
import { hostFiles, MULTIPATH_UNIT, registryFiles, staticNetwork, timeSources } from './host-files';
import { okdOverlay, platformUnits, withOkd } from './platform-units';

export const DISCOVERY_SPEC_VERSION = '3.1.0';

/** Returns the Ignition config of a discovery image. Contains secrets. Equal input results in an equal config. */
export function renderDiscoveryIgnition(input: DiscoveryInput): IgnitionConfig {
  const proxy = ignitionProxy(input.proxy);
  const time = timeSources(input.ntp);
  const network = staticNetwork(input.staticNetwork);
  const platform = platformUnits(input);
  const okd = okdOverlay(input);
  const keys = sshKeysIn(input.sshAuthorizedKeys);
  return {
    ignition: { version: DISCOVERY_SPEC_VERSION, ...(proxy && { proxy }) },
    passwd: {
      users: keys.length === 0 ? [] : [{ name: 'core', groups: ['sudo'], passwordHash: '!', sshAuthorizedKeys: keys }],
    },
    storage: {
      files: [
        ...agentFiles(input),
        ...hostFiles(input),
        ...proxyFiles(input.proxy),
        ...time.files,
        ...network.files,
        ...platform.files,
        ...registryFiles(input.registries),
        ...okd.files,
      ],
    },
    systemd: {
      units: [
        withOkd(agentUnit(input), input),
        // The live system of OKD has neither multipath nor iSCSI tools.
        ...(input.okd ? [] : [MULTIPATH_UNIT]),
        ...platform.units,
        ...time.units,
        ...network.units,
        ...okd.units,
      ],
    },
  };
}
