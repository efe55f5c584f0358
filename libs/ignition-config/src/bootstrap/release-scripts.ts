import { shellQuote } from '../discovery/proxy';
import { PULL_SECRET_PATH } from '../discovery/host-files';

/** Functions about the release that other scripts read in. */
export const releaseFunctions = (releaseImage: string, version: string): string => `# Read in by other scripts.
RELEASE_IMAGE=${shellQuote(releaseImage)}
RELEASE_VERSION=${shellQuote(version)}

# The image of one component, as the release names it.
image_for() {
  podman run --quiet --rm --network=none --authfile ${PULL_SECRET_PATH} "$RELEASE_IMAGE" image "$1"
}
`;

export const releaseDownloadScript = (releaseImage: string): string => `#!/bin/sh
until podman pull --quiet --authfile ${PULL_SECRET_PATH} ${shellQuote(releaseImage)}; do
  echo "Fetching the release image did not work; next try in 10 seconds."
  sleep 10
done
`;

/** OKD: the live system becomes the one of the release, and starts again. */
export const PIVOT_SCRIPT = `#!/usr/bin/env bash
set -euo pipefail
. /usr/local/bin/release-image.sh
if [ -f /opt/openshift/.pivot.done ]; then exit 0; fi
image=$(image_for stream-coreos || image_for machine-os-content)
rpm-ostree rebase --experimental "ostree-unverified-registry:$image"
touch /opt/openshift/.pivot.done
systemctl reboot
`;
