import { hardwareOf, type HostFacts, isAfterReboot, type RulesPolicy } from '../facts/host.facts';
import { broken, fail, failBecause, pass, passBecause, passIf } from '../rule/rule';
import type { HostRule } from './host-rule';

const isAgentRunning = ({ stage }: HostFacts): boolean => !isAfterReboot(stage);

export const CONNECTION_RULES: readonly HostRule[] = [
  {
    id: 'connected',
    category: 'network',
    checks:
      'The agent has asked for instructions within `HOST_MAX_DISCONNECTION_TIME` (3 minutes by default; 2 minutes more on the bootstrap host), until the host reboots.',
    applies: isAgentRunning,
    needs: [],
    claim: ({ isSilent }) => passIf(!isSilent),
    messages: {
      success: 'Host is connected',
      failure: 'Host is disconnected: its agent no longer asks for instructions',
    },
    remedy:
      'Check that the host is powered on, runs the discovery image and reaches the service. Then wait for its agent.',
    gate: 'connection',
    mayFlap: true,
    blocksUnbound: true,
  },
  {
    id: 'media-connected',
    category: 'network',
    checks: 'The host can read the discovery image, until it reboots.',
    applies: isAgentRunning,
    needs: [],
    claim: ({ isMediaConnected }) => passIf(isMediaConnected),
    messages: { success: 'Media device is connected', failure: 'Media device is disconnected' },
    remedy: 'Attach the virtual or physical media with the discovery image again and restart the host.',
    gate: 'media',
    mayFlap: true,
    blocksUnbound: true,
  },
];

const TRUNCATIONS = ['none', '', 'partial', 'full'];

export const INVENTORY_RULES: readonly HostRule[] = [
  {
    id: 'has-inventory',
    category: 'hardware',
    checks: 'The host has reported its hardware.',
    needs: [],
    claim: ({ hardware, failedSteps }) => {
      const problem = failedSteps.get('inventory');
      return hardware || problem === undefined
        ? passIf(hardware !== undefined)
        : failBecause('step-failed', 'inventory', problem);
    },
    messages: { success: 'Valid inventory exists for the host', failure: 'Inventory has not been received yet' },
    initial: fail(),
    remedy: 'Wait for the agent. If no inventory arrives within minutes, read the log of the agent on the host.',
    gate: 'inventory',
    blocksUnbound: true,
  },
  {
    id: 'inventory-not-partially-truncated',
    category: 'hardware',
    checks: 'The inventory lists all disks.',
    needs: ['inventory'],
    claim: (facts) => {
      const { truncation } = hardwareOf(facts);
      if (!TRUNCATIONS.includes(truncation)) return broken('unknown-truncation', truncation);
      return passIf(truncation !== 'partial');
    },
    messages: {
      success: 'The inventory lists all disks',
      failure: 'The inventory was too large, so some disks are missing in it',
      'unknown-truncation': 'The inventory has an unknown truncation type "{0}"',
    },
    remedy: 'Detach disks that the host does not need, or raise the size limit of the inventory.',
    gate: 'none',
  },
  {
    id: 'inventory-not-fully-truncated',
    category: 'hardware',
    checks: 'The inventory is not truncated completely.',
    needs: ['inventory'],
    claim: (facts) => passIf(hardwareOf(facts).truncation !== 'full'),
    messages: { success: 'The inventory is usable', failure: 'The inventory was too large to be sent' },
    remedy: 'Detach disks and network devices that the host does not need, or raise the size limit of the inventory.',
    gate: 'truncation',
    blocksUnbound: true,
  },
];

/** A slower download counts as a failed download. */
const DOWNLOAD_MBPS_MIN = 0.001;

/** Prefix of an agent that is the executable of the service instead of a container image. */
const EXECUTABLE_PREFIX = 'muster-host:';
/** Name in the v2 API → as `uname -m` prints it. */
const MACHINES: ReadonlyMap<string, string> = new Map([['arm64', 'aarch64']]);

/**
 * Returns whether the agent can be replaced by the required one. An executable cannot become a container, nor be replaced where the
 * service has no executable for its architecture. A container agent receives the upgrade step in any case, as in assisted-service v2.
 */
export function isReplaceableAgent(
  agentVersion: string,
  { agentImage, agentArchitectures }: Pick<RulesPolicy, 'agentImage' | 'agentArchitectures'>,
  architecture: string,
): boolean {
  if (!agentVersion.startsWith(EXECUTABLE_PREFIX)) return true;
  const machine = MACHINES.get(architecture) ?? architecture;
  return agentImage.startsWith(EXECUTABLE_PREFIX) && agentArchitectures.includes(machine);
}

export const AGENT_RULES: readonly HostRule[] = [
  {
    id: 'compatible-agent',
    category: 'hardware',
    checks:
      'The host runs the agent that the service is configured with, until the installation starts. An executable that the service cannot replace is accepted.',
    applies: ({ stage }) => stage === '',
    needs: [],
    claim: ({ agentVersion, hardware, policy }) => {
      if (policy.agentImage === '' || agentVersion === policy.agentImage) return pass();
      return hardware && !isReplaceableAgent(agentVersion, policy, hardware.cpuArchitecture)
        ? passBecause('not-replaceable', agentVersion, policy.agentImage)
        : fail(agentVersion, policy.agentImage);
    },
    messages: {
      success: 'The discovery agent is compatible with the service',
      failure: {
        message: 'The discovery agent "{0}" is not compatible with the service, which requires "{1}"',
        measured: '{0}',
        required: '{1}',
      },
      'not-replaceable': 'The discovery agent "{0}" is used, because the service cannot replace it by "{1}"',
    },
    remedy: 'Wait until the agent replaces itself. If it does not, boot the host from a new discovery image.',
    gate: 'known',
  },
  {
    id: 'container-images-available',
    measuredBy: 'container-image-availability',
    category: 'network',
    checks: 'The host can pull the images of the release at 0.001 MB/s or faster.',
    needs: [],
    claim: ({ images }) => {
      if (images.length === 0) return passBecause('not-tried');
      const bad = images.filter(
        ({ result, sizeBytes, downloadRateMbps }) =>
          result === 'failure' || (sizeBytes > 0 && downloadRateMbps < DOWNLOAD_MBPS_MIN),
      );
      return passIf(bad.length === 0, ...(bad.length > 0 ? [bad.map(({ name }) => name).join(', ')] : []));
    },
    messages: {
      success: 'All required container images can be pulled',
      failure: { message: 'These container images cannot be pulled: {0}', measured: '{0}' },
      'not-tried': 'Container images have not been pulled yet',
    },
    initial: passBecause('not-tried'),
    remedy:
      'Check that the host reaches the registry (name, proxy, certificate, mirror) and that the pull secret is valid for it.',
    gate: 'images',
  },
];
