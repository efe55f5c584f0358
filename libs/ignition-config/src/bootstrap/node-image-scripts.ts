/** Live systems without cluster programs get those of the release laid over them. */
const REPOSITORY = `if grep --quiet coreos.liveiso= /proc/cmdline; then
  repo=/var/ostreecontainer/repo
  checkout=/var/ostreecontainer/checkout
else
  repo=/ostree/repo
  checkout=/ostree/repo/tmp/node-image
fi
`;

export const NODE_IMAGE_PULL_SCRIPT = `#!/usr/bin/env bash
set -euo pipefail
. /usr/local/bin/release-image.sh
${REPOSITORY}
if [ -d "$checkout" ]; then exit 0; fi
until image=$(image_for rhel-coreos); do
  echo "The release does not yet say which image nodes have; next try in 10 seconds."
  sleep 10
done
mkdir --parents "$(dirname "$checkout")"
if [ ! -d "$repo" ]; then mkdir --parents "$repo" && ostree init --mode=bare --repo="$repo"; fi
until ostree container image pull --authfile /root/.docker/config.json "$repo" "ostree-unverified-image:docker://$image"; do
  echo "Fetching the image of nodes did not work; next try in 10 seconds."
  sleep 10
done
ostree refs --repo="$repo" --create=coreos/node-image "$(ostree refs --repo="$repo" --list ostree/container/image | head --lines=1)"
ostree checkout --repo="$repo" --require-hardlinks coreos/node-image "$checkout.new" ||
  ostree checkout --repo="$repo" coreos/node-image "$checkout.new"

# Settings that were changed on this system win over those of the image.
if command -v ostree >/dev/null && ostree admin config-diff >/tmp/config-diff 2>/dev/null; then
  awk '/^[AM]/ { print $2 }' /tmp/config-diff | while read -r path; do
    if [ -e "/etc/$path" ]; then cp --archive --parents "/etc/$path" "$checkout.new/usr" 2>/dev/null || true; fi
  done
fi
mv "$checkout.new" "$checkout"
# In memory, the layers are not needed a second time.
if grep --quiet coreos.liveiso= /proc/cmdline; then rm --recursive --force "$repo"; fi
`;

export const NODE_IMAGE_OVERLAY_SCRIPT = `#!/usr/bin/env bash
set -euo pipefail
${REPOSITORY}
# Modules of the running kernel stay; they fit no other.
mkdir --parents "$checkout/usr/lib/modules/$(uname --kernel-release)"
mount --bind "/usr/lib/modules/$(uname --kernel-release)" "$checkout/usr/lib/modules/$(uname --kernel-release)"
rsync --archive --ignore-existing "$checkout/usr/etc/" /etc/
mount --rbind "$checkout/usr" /usr
semodule -R
systemctl daemon-reload
systemctl try-restart sshd.service
`;

export const NODE_IMAGE_FINISH_SCRIPT = `#!/bin/sh
exec systemctl isolate multi-user.target
`;

/** Where the cluster's programs are missing, the target that brings them comes first. */
export const NODE_IMAGE_GENERATOR = `#!/bin/sh
if ! rpm --query --quiet openshift-clients; then
  ln --force --symbolic /etc/systemd/system/node-image-overlay.target "$1/default.target"
fi
`;
