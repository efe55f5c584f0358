import { MODE_EXECUTABLE, MODE_READABLE, textFile } from '../config/ignition-file';

const RESOLVER = '/etc/dnsmasq.d/single-node.conf';
const DISPATCHER = '/etc/NetworkManager/dispatcher.d/forcedns';

const UNIT = `[Unit]
Description=Names of this cluster, answered by its only node
Before=kubelet.service crio.service
After=network.target

[Service]
Type=simple
ExecStart=/usr/sbin/dnsmasq --keep-in-foreground
Restart=always

[Install]
WantedBy=multi-user.target
`;

/** Puts the node's own resolver first whenever a connection comes up. */
const script = (domain: string): string => `#!/bin/bash
# The names of ${domain} are answered here, everything else where it was before.
case "$2" in up | dhcp4-change | dhcp6-change | reapply) ;; *) exit 0 ;; esac
if ! grep -q '^nameserver 127.0.0.1$' /etc/resolv.conf; then
  { echo 'nameserver 127.0.0.1'; grep -v '^nameserver 127.0.0.1$' /etc/resolv.conf; } >/etc/resolv.conf.own
  cp --no-preserve=all /etc/resolv.conf.own /etc/resolv.conf
fi
`;

/** A single node resolves the names of its cluster, so that it can be installed without DNS records. */
export function singleNodeNames(domain: string, address: string): object {
  const names = [`/apps.${domain}/`, `/api-int.${domain}/`, `/api.${domain}/`].map(
    (name) => `address=${name}${address}\n`,
  );
  return {
    storage: {
      files: [textFile(RESOLVER, MODE_READABLE, names.join('')), textFile(DISPATCHER, MODE_EXECUTABLE, script(domain))],
    },
    systemd: { units: [{ name: 'dnsmasq.service', enabled: true, contents: UNIT }] },
  };
}
