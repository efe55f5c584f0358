import type { InfraEnvSettings, Plain } from '@muster/contracts';
import type { RamdiskFile } from '@muster/boot-image';
import type { planRamdiskNetworks } from '@muster/domain';
import { networkRamdiskFiles, proxyEnvironmentLines } from '@muster/ignition-config';

const PROXY_DROP_IN_PATH = '/etc/systemd/system/coreos-livepxe-rootfs.service.d/10-proxy.conf';
const PROXY_DROP_IN_MODE = 0o664;

export type PlannedNetworks = ReturnType<typeof planRamdiskNetworks>;

/** Returns the files that a ramdisk needs to fetch the root file system: static networks, and the proxy. */
export function networkFiles(settings: Plain<InfraEnvSettings>, planned: PlannedNetworks): readonly RamdiskFile[] {
  return [...staticNetworkFiles(settings, planned), ...proxyFiles(settings)];
}

function staticNetworkFiles(
  { networkDiscoveryDelaySeconds: delaySeconds = 0 }: Plain<InfraEnvSettings>,
  planned: PlannedNetworks,
): readonly RamdiskFile[] {
  return planned ? networkRamdiskFiles({ form: planned.form, hosts: planned.networks.hosts, delaySeconds }) : [];
}

function proxyFiles({ proxy }: Plain<InfraEnvSettings>): readonly RamdiskFile[] {
  const lines = proxyEnvironmentLines({
    httpProxy: proxy?.httpProxy ?? '',
    httpsProxy: proxy?.httpsProxy ?? '',
    noProxy: proxy?.noProxy ?? '',
  });
  if (lines.length === 0) return [];
  return [{ path: PROXY_DROP_IN_PATH, mode: PROXY_DROP_IN_MODE, content: `[Service]\n${lines.join('\n')}\n` }];
}
