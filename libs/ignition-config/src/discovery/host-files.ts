import type { IgnitionFile, IgnitionUnit } from '../config/ignition-config';
import { MODE_EXECUTABLE, MODE_PRIVATE, MODE_READABLE, textFile } from '../config/ignition-file';
import { hostNetworkFiles, NETWORK_UNIT_NAME, networkScripts, networkUnit } from '../static-network/network-files';
import {
  type DiscoveryInput,
  type NtpSettings,
  type RegistrySettings,
  shellQuote,
  splitList,
  type StaticNetwork,
} from './discovery-input';

export const SERVICE_CA_PATH = '/etc/assisted-service/service-ca-cert.crt';
export const TRUST_BUNDLE_PATH = '/etc/pki/ca-trust/source/anchors/assisted-infraenv-additional-trust-bundle.pem';
const RED_HAT_CA_PATH = '/etc/pki/ca-trust/source/anchors/rh-it-root-ca.crt';
export const PULL_SECRET_PATH = '/root/.docker/config.json';

const MOTD = `
This machine was booted from a discovery image. It reports its hardware and waits until it is installed as part of a cluster.
Its disks are not changed before an installation starts.

Progress: journalctl --unit agent.service --follow

`;

/** Keeps the DHCPv6 address of a host through discovery, installation and first boot. */
export const IPV6_SETTINGS = `[connection]
ipv6.dhcp-iaid=mac
ipv6.dhcp-duid=ll
`;

const MULTIPATH_SETTINGS = `defaults {
    user_friendly_names yes
    find_multipaths yes
    enable_foreign "^$"
}

blacklist_exceptions {
    property "(SCSI_IDENT_|ID_WWN)"
}
`;

/** The image contains this unit, which is only enabled. */
export const MULTIPATH_UNIT: IgnitionUnit = { name: 'multipathd.service', enabled: true };

export function hostFiles(input: DiscoveryInput): readonly IgnitionFile[] {
  const { pullSecret, additionalTrustBundle, redHatCaPem, service, okd } = input;
  return [
    textFile('/etc/motd', MODE_READABLE, MOTD),
    textFile('/etc/NetworkManager/conf.d/01-ipv6.conf', MODE_READABLE, IPV6_SETTINGS),
    ...(okd ? [] : [textFile('/etc/multipath.conf', MODE_READABLE, MULTIPATH_SETTINGS)]),
    ...(pullSecret ? [textFile(PULL_SECRET_PATH, MODE_PRIVATE, pullSecret)] : []),
    ...(service.caPem ? [textFile(SERVICE_CA_PATH, MODE_READABLE, service.caPem)] : []),
    ...(additionalTrustBundle ? [textFile(TRUST_BUNDLE_PATH, MODE_READABLE, additionalTrustBundle)] : []),
    ...(redHatCaPem ? [textFile(RED_HAT_CA_PATH, MODE_READABLE, redHatCaPem)] : []),
  ];
}

export const REGISTRIES_PATH = '/etc/containers/registries.conf';
export const REGISTRY_CA_PATH = '/etc/pki/ca-trust/source/anchors/domain.crt';
const SIGNATURES_PATH = '/etc/containers/policy.json';

/** Accepts images without signatures, because mirrors contain images only. */
const ANY_IMAGE = JSON.stringify({
  default: [{ type: 'insecureAcceptAnything' }],
  transports: { 'docker-daemon': { '': [{ type: 'insecureAcceptAnything' }] } },
});

/** Configures the mirrors of image registries. */
export function registryFiles(registries: RegistrySettings | undefined): readonly IgnitionFile[] {
  if (!registries || registries.registriesConf === '') return [];
  const { registriesConf, caPem, takesUnsigned } = registries;
  return [
    textFile(REGISTRIES_PATH, MODE_READABLE, registriesConf),
    ...(caPem ? [textFile(REGISTRY_CA_PATH, MODE_READABLE, caPem)] : []),
    ...(takesUnsigned ? [textFile(SIGNATURES_PATH, MODE_READABLE, ANY_IMAGE)] : []),
  ];
}

/** Configures the static network of the machine in the live system. */
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
      // The service of the operating system that applies the policies in /etc/nmstate. Its preset disables it.
      ...(form === 'nmpolicy' ? [{ name: 'nmstate.service', enabled: true }] : []),
    ],
  };
}

const SCRIPT_PATH = '/usr/local/bin/add-ntp-sources.sh';
const CHRONY_PATH = '/etc/chrony.conf';

const UNIT = `[Unit]
Description=Configure the time sources of chrony
Before=chronyd.service
After=local-fs.target

[Service]
Type=oneshot
ExecStart=${SCRIPT_PATH}

[Install]
WantedBy=multi-user.target
`;

/**
 * Configures the time sources of chrony: `sources` replace those of the image, additional sources are added to them.
 */
export function timeSources(ntp: NtpSettings): {
  readonly files: readonly IgnitionFile[];
  readonly units: readonly IgnitionUnit[];
} {
  const only = splitList(ntp.sources);
  const sources = only.length > 0 ? only : splitList(ntp.additionalSources);
  if (sources.length === 0) return { files: [], units: [] };
  const lines =
    only.length > 0
      ? [...sources.map(serverLine), 'sourcedir /run/chrony-dhcp', 'driftfile /var/lib/chrony/drift', STEP, 'rtcsync']
      : [...sources.map(serverLine), STEP];
  const redirect = only.length > 0 ? '>' : '>>';
  const script = `#!/bin/sh\nprintf '%s\\n' ${lines.map(shellQuote).join(' ')} ${redirect}${CHRONY_PATH}\n`;
  return {
    files: [textFile(SCRIPT_PATH, MODE_EXECUTABLE, script)],
    units: [{ name: 'add-ntp-sources.service', enabled: true, contents: UNIT }],
  };
}

/** Sets a wrong clock immediately, independent of its offset. */
const STEP = 'makestep 1.0 -1';
const serverLine = (source: string): string => `server ${source.replace(/\s+/g, '')} iburst`;
