import type { IgnitionFile, IgnitionUnit } from '../config/ignition-config';
import { MODE_EXECUTABLE, MODE_READABLE, textFile } from '../config/ignition-file';

/** The version of the Ignition specification that the machine-config operator of every supported version reads. */
const SPEC_VERSION = '3.2.0';

/** Returns a MachineConfig: the configuration of every node of a pool. */
export function machineConfig(
  role: string,
  name: string,
  config: object,
  more: { readonly kernelArguments?: readonly string[] } = {},
): object {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { labels: { 'machineconfiguration.openshift.io/role': role }, name },
    spec: { config: { ignition: { version: SPEC_VERSION }, ...config }, ...more },
  };
}

const SYSTEM_POOL = 'pool 0.rhel.pool.ntp.org iburst';
const SETTINGS = [
  'sourcedir /run/chrony-dhcp',
  'driftfile /var/lib/chrony/drift',
  'makestep 1.0 3',
  'rtcsync',
  'logdir /var/log/chrony',
];

/**
 * Returns the chrony configuration of a node: the given sources, and the default ones unless they are excluded.
 */
export function chronyFile({
  timeSources,
  isOnlyTime,
}: {
  readonly timeSources: readonly string[];
  readonly isOnlyTime: boolean;
}): IgnitionFile {
  const servers = [...new Set(timeSources)].map((source) => `server ${source.replace(/\s+/g, '')} iburst`);
  const lines = [...(isOnlyTime ? [] : [SYSTEM_POOL]), ...SETTINGS, ...servers];
  return textFile('/etc/chrony.conf', MODE_READABLE, `${lines.join('\n')}\n`);
}

export interface EncryptionChoice {
  /** `enable_on` of the v2 API: none, all, or a comma-separated list of pools. */
  readonly roles: string;
  /** tpmv2 or tang. */
  readonly mode: string;
  readonly tangServers: readonly { readonly url: string; readonly thumbprint: string }[];
  /** Name of the cipher for cryptsetup. */
  readonly cipher: string;
}

/** Kernel argument that configures the network before the disk is opened. */
const NETWORK_FIRST = 'rd.neednet=1';

/** Encrypts the root file system with the TPM of the host or with tang servers. */
export function encryptedRoot({
  mode,
  tangServers,
  cipher,
}: EncryptionChoice): [object, { kernelArguments?: string[] }] {
  const isTang = mode === 'tang';
  const config = {
    storage: {
      luks: [
        {
          name: 'root',
          label: 'luks-root',
          device: '/dev/disk/by-partlabel/root',
          clevis: isTang ? { tang: tangServers.map(({ url, thumbprint }) => ({ url, thumbprint })) } : { tpm2: true },
          options: ['--cipher', cipher],
          wipeVolume: true,
        },
      ],
      filesystems: [{ device: '/dev/mapper/root', format: 'xfs', wipeFilesystem: true, label: 'root' }],
    },
  };
  return [config, isTang ? { kernelArguments: [NETWORK_FIRST] } : {}];
}

/**
 * On a node that boots from a network disk, the port is configured before the network service starts. Without this
 * setting, the service would not apply its settings to the port.
 */
export const NIC_REAPPLY_UNIT: IgnitionUnit = {
  name: 'iscsi-nic-reapply.service',
  enabled: true,
  contents: `[Unit]
Description=Network settings of the ports that the firmware uses for iSCSI disks
ConditionPathExists=/sys/firmware/ibft
After=NetworkManager.service
Before=kubelet.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/bash -c 'for port in $(nmcli --terse --fields DEVICE,STATE device | grep ":connected" | cut -d: -f1); do nmcli device reapply "$port" || true; done'

[Install]
WantedBy=multi-user.target
`,
};

const RESOLVER = '/etc/dnsmasq.d/single-node.conf';
const DISPATCHER = '/etc/NetworkManager/dispatcher.d/forcedns';
const UNMANAGED = '/etc/NetworkManager/conf.d/single-node.conf';
/** The name servers of the connections. NetworkManager writes this file in every mode. */
const NAME_SERVERS = '/run/NetworkManager/resolv.conf';

/** The packaged dnsmasq.conf may bind addresses, which fails until the node has its address. It is then tried again. */
const UNIT = `[Unit]
Description=DNS names of the single-node cluster, answered by dnsmasq on the node
Before=kubelet.service crio.service
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=simple
ExecStart=/usr/sbin/dnsmasq --keep-in-foreground
Restart=always
RestartSec=2

[Install]
WantedBy=multi-user.target
`;

/** Makes the DNS server of the node the first name server, also of pods. In a pod, 127.0.0.1 is the pod itself. */
const script = (domain: string, address: string): string => `#!/bin/bash
# This node answers the names of ${domain}. All other names are resolved as before.
case "$2" in up | dhcp4-change | dhcp6-change | reapply | connectivity-change | dns-change) ;; *) exit 0 ;; esac
[ -f ${NAME_SERVERS} ] || exit 0
file=$(mktemp /etc/resolv.conf.XXXXXX) || exit 1
{ echo 'nameserver ${address}'; grep -Fxv 'nameserver ${address}' ${NAME_SERVERS}; } >"$file"
chmod 0644 "$file"
mv -f "$file" /etc/resolv.conf
`;

/** Returns the DNS configuration of a single node, so that it can be installed without DNS records. */
export function singleNodeNames(domain: string, address: string): object {
  const names = [`/apps.${domain}/`, `/api-int.${domain}/`, `/api.${domain}/`].map(
    (name) => `address=${name}${address}\n`,
  );
  const listens = ['127.0.0.1', address].map((one) => `listen-address=${one}\n`);
  const resolver = [...names, ...listens, `resolv-file=${NAME_SERVERS}\n`].join('');
  return {
    storage: {
      files: [
        textFile(RESOLVER, MODE_READABLE, resolver),
        textFile(DISPATCHER, MODE_EXECUTABLE, script(domain, address)),
        textFile(UNMANAGED, MODE_READABLE, '[main]\nrc-manager=unmanaged\n'),
      ],
    },
    systemd: { units: [{ name: 'dnsmasq.service', enabled: true, contents: UNIT }] },
  };
}
