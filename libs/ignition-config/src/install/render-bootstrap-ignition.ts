import type { IgnitionConfig, IgnitionFile, IgnitionUnit } from '../config/ignition-config';
import { MODE_EXECUTABLE, MODE_PRIVATE, MODE_READABLE, textFile } from '../config/ignition-file';
import { PULL_SECRET_PATH } from '../discovery/host-files';
import { bootstrapScripts } from './bootstrap-scripts';
import { POINTER_SPEC_VERSION } from './render-pointer-ignition';

export interface BootstrapInput {
  /** What the cluster calls itself: a UUID. */
  readonly openshiftClusterId: string;
  readonly releaseImage: string;
  /** JSON text. */
  readonly pullSecret: string;
  /** For the address of the internal API. */
  readonly kubeconfig: string;
  readonly sshAuthorizedKey: string;
  readonly isSingleNode: boolean;
}

/** The bootstrap host's config as far as the built-in toolchain goes: credentials, identity, units. Holds secrets. */
export function renderBootstrapIgnition(input: BootstrapInput): IgnitionConfig {
  const scripts = bootstrapScripts(input.releaseImage);
  const keys = input.sshAuthorizedKey.split('\n').filter((line) => line.trim() !== '');
  return {
    ignition: { version: POINTER_SPEC_VERSION },
    passwd: { users: [{ name: 'core', sshAuthorizedKeys: keys }] },
    storage: {
      files: [
        textFile(PULL_SECRET_PATH, MODE_PRIVATE, input.pullSecret),
        textFile('/opt/openshift/auth/kubeconfig', MODE_PRIVATE, input.kubeconfig),
        textFile(
          '/opt/openshift/manifests/cvo-overrides.yaml',
          MODE_READABLE,
          clusterVersion(input.openshiftClusterId),
        ),
        ...(input.isSingleNode ? [] : MULTI_NODE_FILES),
        ...scripts.map(({ script, text }) => textFile(script, MODE_EXECUTABLE, text)),
      ],
    },
    systemd: { units: scripts.map(({ unit, script, description }) => scriptUnit(unit, script, description)) },
  };
}

const MULTI_NODE_FILES: readonly IgnitionFile[] = [
  textFile('/opt/openshift/assisted-install-bootstrap', MODE_READABLE, ''),
  textFile('/etc/NetworkManager/conf.d/99-kni.conf', MODE_READABLE, '[main]\nrc-manager=unmanaged\n'),
];

/** JSON is YAML. */
function clusterVersion(clusterID: string): string {
  return `${JSON.stringify({
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterVersion',
    metadata: { namespace: 'openshift-cluster-version', name: 'version' },
    spec: { clusterID },
  })}\n`;
}

/** Not enabled: the installer starts them in its own order. */
function scriptUnit(name: string, script: string, description: string): IgnitionUnit {
  const contents = `[Unit]
Description=${description}

[Service]
WorkingDirectory=/opt/openshift
ExecStart=${script}
Restart=on-failure
RestartSec=5
`;
  return { name, enabled: false, contents };
}
