import type { IgnitionFile } from '../config/ignition-config';
import { MODE_EXECUTABLE, MODE_PRIVATE, textFile } from '../config/ignition-file';
import { AGENT_SETTINGS_PATH, toAgentFileText } from './agent-file';
import type { DiscoveryInput } from './discovery-input';
import { downloadScript } from './host-executable';

export const AGENT_FIX_PATH = '/usr/local/bin/agent-fix-bz1964591';
export const AGENT_PULL_PATH = '/usr/local/bin/agent-pull-image';

const FIRST_PULL_WAIT_SECONDS = 5;
const LAST_PULL_WAIT_SECONDS = 300;

const FIX_SCRIPT = `#!/bin/sh
# Usage: agent-fix-bz1964591 IMAGE
# A machine that lost power while it wrote its container storage can keep an image that is listed and cannot be used.
# Such an image is thrown away here, so that the next step fetches it again.
if podman image exists "$1" && ! podman image inspect "$1" >/dev/null 2>&1; then
  echo "The stored copy of $1 is damaged and is removed."
  podman image rm --force "$1"
fi
exit 0
`;

const PULL_SCRIPT = `#!/bin/sh
# Usage: agent-pull-image IMAGE
# Fetches the image unless it is here; keeps trying, because networks and registries come up later than machines.
wait=${FIRST_PULL_WAIT_SECONDS}
until podman image exists "$1" || podman pull --quiet "$1"; do
  echo "Fetching $1 did not work; next try in $wait seconds."
  sleep "$wait"
  wait=$((wait * 2))
  if [ "$wait" -gt ${LAST_PULL_WAIT_SECONDS} ]; then wait=${LAST_PULL_WAIT_SECONDS}; fi
done
`;

export function agentFiles({ agent, nats, service }: DiscoveryInput): readonly IgnitionFile[] {
  const { executable } = agent;
  const programs = executable
    ? [downloadScript(executable, service)]
    : [textFile(AGENT_FIX_PATH, MODE_EXECUTABLE, FIX_SCRIPT), textFile(AGENT_PULL_PATH, MODE_EXECUTABLE, PULL_SCRIPT)];
  if (!nats && !executable) return programs;
  return [...programs, textFile(AGENT_SETTINGS_PATH, MODE_PRIVATE, toAgentFileText({ nats, executable }))];
}
