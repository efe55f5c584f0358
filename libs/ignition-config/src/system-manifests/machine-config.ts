/** Version of the Ignition specification that the machine-config operator of every supported version reads. */
const SPEC_VERSION = '3.2.0';

/** A MachineConfig: what every node of a pool gets. */
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
