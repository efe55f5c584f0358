import type { InfraEnvSettings, Plain } from '@muster/contracts';
import type { RamdiskFile } from '@muster/boot-image';
import { planRamdiskNetworks } from '@muster/domain';
import { networkRamdiskFiles, proxyEnvironmentLines } from '@muster/ignition-config';

const PROXY_DROP_IN_PATH = '/etc/systemd/system/coreos-livepxe-rootfs.service.d/10-proxy.conf';
const PROXY_DROP_IN_MODE = 0o664;

/** What a machine needs in its ramdisk to fetch its root file system: its static network and the way through a proxy. */
export function networkFiles(settings: Plain<InfraEnvSettings>): readonly RamdiskFile[] {
  return [...staticNetworkFiles(settings), ...proxyFiles(settings)];
}

function staticNetworkFiles(settings: Plain<InfraEnvSettings>): readonly RamdiskFile[] {
  const planned = planRamdiskNetworks(settings);
  if (!planned) return [];
  return networkRamdiskFiles({
    form: planned.form,
    hosts: planned.networks.hosts,
    delaySeconds: settings.networkDiscoveryDelaySeconds ?? 0,
  });
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
