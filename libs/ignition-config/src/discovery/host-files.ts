import type { IgnitionFile, IgnitionUnit } from '../config/ignition-config';
import { MODE_PRIVATE, MODE_READABLE, textFile } from '../config/ignition-file';
import type { DiscoveryInput } from './discovery-input';

export const SERVICE_CA_PATH = '/etc/assisted-service/service-ca-cert.crt';
export const TRUST_BUNDLE_PATH = '/etc/pki/ca-trust/source/anchors/assisted-infraenv-additional-trust-bundle.pem';
export const PULL_SECRET_PATH = '/root/.docker/config.json';

const MOTD = `
This machine was started from a discovery image. It reports what it is made of and waits to become part of a cluster.
Nothing on its disks is changed until an installation is started.

What it is doing:  journalctl --unit agent.service --follow

`;

/** Lets a host keep its DHCPv6 address through discovery, installation and first boot. */
export const IPV6_SETTINGS = `[connection]
ipv6.dhcp-iaid=mac
ipv6.dhcp-duid=ll
`;

const MULTIPATH_SETTINGS = `defaults {
    user_friendly_names yes
    find_multipaths yes
    enable_foreign "^$"
}
`;

/** The image brings this unit; it is only switched on. */
export const MULTIPATH_UNIT: IgnitionUnit = { name: 'multipathd.service', enabled: true };

export function hostFiles(input: DiscoveryInput): readonly IgnitionFile[] {
  const { pullSecret, additionalTrustBundle, service, okd } = input;
  return [
    textFile('/etc/motd', MODE_READABLE, MOTD),
    textFile('/etc/NetworkManager/conf.d/01-ipv6.conf', MODE_READABLE, IPV6_SETTINGS),
    ...(okd ? [] : [textFile('/etc/multipath.conf', MODE_READABLE, MULTIPATH_SETTINGS)]),
    ...(pullSecret ? [textFile(PULL_SECRET_PATH, MODE_PRIVATE, pullSecret)] : []),
    ...(service.caPem ? [textFile(SERVICE_CA_PATH, MODE_READABLE, service.caPem)] : []),
    ...(additionalTrustBundle ? [textFile(TRUST_BUNDLE_PATH, MODE_READABLE, additionalTrustBundle)] : []),
  ];
}
