import type { IgnitionUnit } from '../config/ignition-config';

/**
 * A node that starts from a disk in the network has its port set up before the network service runs; without this the service leaves the
 * port as it is and never applies its settings.
 */
export const NIC_REAPPLY_UNIT: IgnitionUnit = {
  name: 'iscsi-nic-reapply.service',
  enabled: true,
  contents: `[Unit]
Description=Settings of ports that the firmware set up for a disk in the network
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
