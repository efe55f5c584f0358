import { bootkubeScript, type BootstrapKind } from './bootkube';
import { type BootstrapInput, CLUSTER_FOLDER, DONE_PATH, SCRIPT_FOLDER } from './bootstrap-input';
import {
  APPROVE_CSR_SCRIPT,
  CRIO_CONFIGURE_SCRIPT,
  KUBELET_SCRIPT,
  NODE_IMAGE_FINISH_SCRIPT,
  NODE_IMAGE_OVERLAY_SCRIPT,
  NODE_IMAGE_PULL_SCRIPT,
  PIVOT_SCRIPT,
  PROGRESS_SCRIPT,
  releaseDownloadScript,
} from './node-scripts';

/** A systemd unit and the script that it runs. */
export interface BootstrapUnit {
  readonly name: string;
  readonly about: string;
  /** In `SCRIPT_FOLDER`. */
  readonly script: string;
  readonly text: (input: BootstrapInput) => string;
  /** Additional lines of the sections. */
  readonly unit?: readonly string[];
  readonly service: readonly string[];
  /** Absent: always. */
  readonly when?: (input: BootstrapInput, isLayered: boolean) => boolean;
}

const ONCE = ['Type=oneshot', 'RemainAfterExit=yes'];
const AGAIN = ['Restart=on-failure', 'RestartSec=5'];
const kindOf = ({ isSingleNode }: BootstrapInput): BootstrapKind => (isSingleNode ? 'single-node' : 'multi-node');

/** In the order in which they start. */
export const BOOTSTRAP_UNITS: readonly BootstrapUnit[] = [
  {
    name: 'release-image.service',
    about: 'Pull the release image',
    script: 'release-image-download.sh',
    text: ({ releaseImage }) => releaseDownloadScript(releaseImage),
    unit: ['Wants=network-online.target', 'After=network-online.target'],
    service: ONCE,
  },
  {
    name: 'release-image-pivot.service',
    about: 'Rebase the system to the image of the release',
    script: 'bootstrap-pivot.sh',
    text: () => PIVOT_SCRIPT,
    unit: ['Requires=release-image.service', 'After=release-image.service', 'Before=kubelet.service bootkube.service'],
    service: ONCE,
    when: ({ isOkd }) => isOkd,
  },
  {
    name: 'node-image-pull.service',
    about: 'Fetch the node image',
    script: 'node-image-pull.sh',
    text: () => NODE_IMAGE_PULL_SCRIPT,
    unit: ['Requires=release-image.service', 'After=release-image.service'],
    service: [...ONCE, 'MountFlags=slave'],
    when: (_, isLayered) => isLayered,
  },
  {
    name: 'node-image-overlay.service',
    about: 'Mount the node image over this system',
    script: 'node-image-overlay.sh',
    text: () => NODE_IMAGE_OVERLAY_SCRIPT,
    unit: ['Requires=node-image-pull.service', 'After=node-image-pull.service'],
    service: ONCE,
    when: (_, isLayered) => isLayered,
  },
  {
    name: 'node-image-finish.service',
    about: 'Continue after the node programs are available',
    script: 'node-image-finish.sh',
    text: () => NODE_IMAGE_FINISH_SCRIPT,
    unit: ['Requires=node-image-overlay.service', 'After=node-image-overlay.service'],
    service: ['Type=oneshot'],
    when: (_, isLayered) => isLayered,
  },
  {
    name: 'crio-configure.service',
    about: 'Configure the container runtime with the images of the release',
    script: 'crio-configure.sh',
    text: () => CRIO_CONFIGURE_SCRIPT,
    unit: ['Requires=release-image.service', 'After=release-image.service', 'Before=kubelet.service'],
    service: ONCE,
  },
  {
    name: 'kubelet.service',
    about: 'Run the static pods of the bootstrap control plane',
    script: 'kubelet.sh',
    text: () => KUBELET_SCRIPT,
    unit: ['Wants=crio.service crio-configure.service', 'After=crio.service crio-configure.service'],
    service: AGAIN,
  },
  {
    name: 'bootkube.service',
    about: 'Start a temporary control plane and replace it by the control plane of the cluster',
    script: 'bootkube.sh',
    text: (input) => bootkubeScript(kindOf(input)),
    unit: [
      'Requires=release-image.service',
      'Wants=kubelet.service',
      'After=release-image.service kubelet.service',
      `ConditionPathExists=!${DONE_PATH}`,
    ],
    service: AGAIN,
  },
  {
    name: 'approve-csr.service',
    about: 'Approve the certificate requests of nodes until the cluster does',
    script: 'approve-csr.sh',
    text: () => APPROVE_CSR_SCRIPT,
    unit: ['Wants=bootkube.service', 'After=bootkube.service'],
    service: AGAIN,
  },
  {
    name: 'progress.service',
    about: 'Report in the new cluster that bootstrapping is complete',
    script: 'report-progress.sh',
    text: () => PROGRESS_SCRIPT,
    unit: ['Wants=bootkube.service', 'After=bootkube.service'],
    service: AGAIN,
  },
];

/** Returns the text of the unit. On `layered` hosts, it starts after the node image is mounted. */
export function unitText({ about, name, script, unit = [], service }: BootstrapUnit, isLayered: boolean): string {
  const afterOverlay =
    isLayered && name === 'bootkube.service'
      ? ['Requires=node-image-overlay.service', 'After=node-image-overlay.service']
      : [];
  return `[Unit]
Description=${about}
${[...unit, ...afterOverlay].join('\n')}

[Service]
WorkingDirectory=${CLUSTER_FOLDER}
ExecStart=${SCRIPT_FOLDER}/${script}
${service.join('\n')}

[Install]
WantedBy=multi-user.target
`;
}
