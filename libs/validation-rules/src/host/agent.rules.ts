import { passIf } from '../rule/rule';
import type { HostRule } from './host-rule';

/** Slower than this counts as not being able to download at all. */
const DOWNLOAD_MBPS_MIN = 0.001;

export const AGENT_RULES: readonly HostRule[] = [
  {
    id: 'compatible-agent',
    category: 'hardware',
    checks: 'The host runs the agent that the service is set up with, until its installation starts.',
    applies: ({ stage }) => stage === '',
    excused: ({ policy }) => (policy.agentImage === '' ? 'Any agent is accepted' : undefined),
    needs: [],
    claim: ({ agentVersion, policy }) => passIf(agentVersion === policy.agentImage, agentVersion, policy.agentImage),
    explain: ({ passed, measured, required }) =>
      passed ? 'Agent is the expected one' : `Agent is "${measured}", expected is "${required}"`,
    remedy: 'Wait for the agent to replace itself; if it does not, boot the host from a new discovery image.',
    gate: 'known',
  },
  {
    id: 'container-images-available',
    category: 'network',
    checks: 'The images of the release can be pulled on the host, not slower than 0.001 MB/s.',
    needs: [],
    claim: ({ images }) => {
      const bad = images.filter(
        ({ result, sizeBytes, downloadRateMbps }) =>
          result === 'failure' || (sizeBytes > 0 && downloadRateMbps < DOWNLOAD_MBPS_MIN),
      );
      return passIf(bad.length === 0, bad.map(({ name }) => name).join(', '));
    },
    explain: ({ passed, measured }, { images }) => {
      if (!passed) return `Images cannot be pulled: ${measured}`;
      return images.length === 0 ? 'Images have not been tried yet' : 'Images can be pulled';
    },
    remedy:
      'Check that the host reaches the registry (name, proxy, certificate, mirror) and that the pull secret is good for it.',
    gate: 'images',
  },
];
