const NAME = '99-assisted-installer-master-ssh';
export const SSH_MACHINE_CONFIG_PATH = `/opt/openshift/openshift/99_openshift-machineconfig_${NAME}.yaml`;

/** Returns a MachineConfig (JSON, which is YAML) that lets the bootstrap host log in to the control plane for logs. */
export function sshMachineConfig(publicKey: string): string {
  return `${JSON.stringify(
    {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfig',
      metadata: { labels: { 'machineconfiguration.openshift.io/role': 'master' }, name: NAME },
      spec: {
        config: {
          ignition: { version: '3.1.0' },
          passwd: { users: [{ name: 'core', sshAuthorizedKeys: [publicKey] }] },
        },
      },
    },
    undefined,
    2,
  )}\n`;
}
