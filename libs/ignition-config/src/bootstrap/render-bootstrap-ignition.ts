import { isAtLeast } from '@muster/feature-support';
import { type IgnitionConfig, type IgnitionFile, type IgnitionUnit, sshKeysIn } from '../config/ignition-config';
import { MODE_EXECUTABLE, MODE_PRIVATE, MODE_READABLE, textFile } from '../config/ignition-file';
import { proxyFiles } from '../discovery/discovery-input';
import { PULL_SECRET_PATH } from '../discovery/host-files';
import { POINTER_SPEC_VERSION } from '../install/render-pointer-ignition';
import { IN_PLACE_SCRIPT, IN_PLACE_UPDATE, POST_REBOOT_SCRIPT } from './bootstrap-in-place-scripts';
import { type BootstrapInput, CLUSTER_FOLDER, RELEASE_FUNCTIONS, SCRIPT_FOLDER } from './bootstrap-input';
import { BOOTSTRAP_UNITS, unitText } from './bootstrap-units.table';
import { BOOTSTRAP_MOTD, MULTI_NODE_FILES } from './finish-bootstrap';
import { KUBELET_SETTINGS, NODE_IMAGE_GENERATOR, releaseFunctions } from './node-scripts';

/** The first version whose live systems may lack the node programs. */
const LAYERED_SINCE = '4.17';

/** Returns the config of the bootstrap host: the files of the cluster and the bootstrap units. Contains secrets. */
export function renderBootstrapIgnition(input: BootstrapInput): IgnitionConfig {
  const isLayered = !input.isOkd && isAtLeast(input.openshiftVersion, LAYERED_SINCE);
  const units = BOOTSTRAP_UNITS.filter(({ when }) => when?.(input, isLayered) ?? true);
  return {
    ignition: { version: POINTER_SPEC_VERSION },
    passwd: { users: [{ name: 'core', sshAuthorizedKeys: sshKeysIn(input.sshAuthorizedKey) }] },
    storage: {
      files: [
        ...clusterFiles(input),
        ...hostFiles(input),
        ...(input.isSingleNode ? IN_PLACE_FILES : MULTI_NODE_FILES),
        ...(isLayered ? LAYERED_FILES : []),
        ...units.map(({ script, text }) => textFile(`${SCRIPT_FOLDER}/${script}`, MODE_EXECUTABLE, text(input))),
      ],
    },
    // Not enabled, because the installer starts them in its own order.
    systemd: {
      units: [
        ...units.map((unit) => ({ name: unit.name, enabled: false, contents: unitText(unit, isLayered) })),
        ...(isLayered ? [OVERLAY_TARGET] : []),
      ],
    },
  };
}

function clusterFiles({ tls, auth, manifests }: BootstrapInput): readonly IgnitionFile[] {
  return [
    ...[...tls].map(([name, text]) => textFile(`${CLUSTER_FOLDER}/tls/${name}`, MODE_PRIVATE, text)),
    ...[...auth].map(([name, text]) => textFile(`${CLUSTER_FOLDER}/auth/${name}`, MODE_PRIVATE, text)),
    ...manifests.map(({ folder, fileName, content }) =>
      textFile(`${CLUSTER_FOLDER}/${folder}/${fileName}`, MODE_PRIVATE, content),
    ),
  ];
}

function hostFiles(input: BootstrapInput): readonly IgnitionFile[] {
  const { pullSecret, releaseImage, openshiftVersion, additionalTrustBundle, auth, proxy } = input;
  const functions = releaseFunctions(releaseImage, openshiftVersion);
  return [
    textFile(PULL_SECRET_PATH, MODE_PRIVATE, pullSecret),
    BOOTSTRAP_MOTD,
    textFile(RELEASE_FUNCTIONS, MODE_EXECUTABLE, functions),
    textFile('/etc/kubernetes/bootstrap-kubelet.yaml', MODE_READABLE, KUBELET_SETTINGS),
    textFile('/etc/kubernetes/kubeconfig', MODE_PRIVATE, auth.get('kubeconfig-kubelet') ?? ''),
    ...proxyFiles(proxy),
    ...(additionalTrustBundle ? [textFile(TRUST_BUNDLE, MODE_READABLE, additionalTrustBundle)] : []),
  ];
}

const TRUST_BUNDLE = '/etc/pki/ca-trust/source/anchors/ca.crt';

const IN_PLACE_FILES: readonly IgnitionFile[] = [
  textFile(`${CLUSTER_FOLDER}/single-node`, MODE_READABLE, ''),
  textFile(`${SCRIPT_FOLDER}/bootstrap-in-place.sh`, MODE_EXECUTABLE, IN_PLACE_SCRIPT),
  textFile(`${CLUSTER_FOLDER}/bootstrap-in-place/master-update.fcc`, MODE_READABLE, IN_PLACE_UPDATE),
  textFile(
    `${CLUSTER_FOLDER}/bootstrap-in-place/bootstrap-in-place-post-reboot.sh`,
    MODE_EXECUTABLE,
    POST_REBOOT_SCRIPT,
  ),
];

const OVERLAY_TARGET: IgnitionUnit = {
  name: 'node-image-overlay.target',
  enabled: false,
  contents: `[Unit]
Description=The operating system image of the nodes is mounted
Requires=node-image-overlay.service node-image-finish.service
After=node-image-overlay.service
AllowIsolate=yes
`,
};

const LAYERED_FILES: readonly IgnitionFile[] = [
  textFile('/etc/systemd/system-generators/node-image-generator', MODE_EXECUTABLE, NODE_IMAGE_GENERATOR),
];
