import { BOOTKUBE_STAGES } from './bootkube-stages.table';
import { CLUSTER_FOLDER, DONE_PATH, RELEASE_FUNCTIONS } from './bootstrap-paths';

export type BootstrapKind = 'multi-node' | 'single-node';

export const stagesOf = (kind: BootstrapKind) =>
  BOOTKUBE_STAGES.filter(({ only }) => only === undefined || only === kind);

/** Continues after the last completed stage of an earlier run: every completed stage leaves a marker file. */
export function bootkubeScript(kind: BootstrapKind): string {
  const stages = stagesOf(kind).map(({ name, why, lines }) =>
    [`# ${name}: ${why}.`, `if begins ${name}; then`, ...lines.map((line) => `  ${line}`), `  ends ${name}`, 'fi'].join(
      '\n',
    ),
  );
  return `#!/usr/bin/env bash
set -euo pipefail
if [ -f ${DONE_PATH} ]; then exit 0; fi
cd ${CLUSTER_FOLDER}
mkdir --parents bootstrap-manifests manifests openshift tls auth /etc/kubernetes/manifests
${FUNCTIONS}
${stages.join('\n\n')}

touch ${DONE_PATH}
echo "Bootstrapping is complete."
`;
}

const FUNCTIONS = `. ${RELEASE_FUNCTIONS}

# Says what is done next; false when an earlier run did it.
begins() {
  if [ -f "$1.done" ]; then return 1; fi
  echo "Stage $1"
}
ends() { touch "$1.done"; }

# A component of the release over this folder.
over_assets() { podman run --quiet --rm --network=host --volume ${CLUSTER_FOLDER}:/assets:z --authfile /root/.docker/config.json "$@"; }
render() { local image; image=$(image_for "$1"); shift; over_assets "$image" "$@"; }
render_release() { over_assets "$RELEASE_IMAGE" "$@"; }

# What a component rendered, if it rendered anything of the kind.
take() { if [ -d "$1" ]; then mkdir --parents "$2" && cp --recursive "$1/." "$2/"; fi; }
place_static_pod() { if [ -d "$1" ]; then cp --recursive "$1/." /etc/kubernetes/; fi; }
place_config() {
  mkdir --parents "/etc/kubernetes/bootstrap-configs"
  cp "$1/config" "/etc/kubernetes/bootstrap-configs/$2-config.yaml"
  take "$1/bootstrap-manifests" bootstrap-manifests
  take "$1/manifests" manifests
}
`;
