import { fail, pass, passBecause, passIf } from '../rule/rule';
import type { HostRule } from './host-rule';

/** A slower download counts as a failed download. */
const DOWNLOAD_MBPS_MIN = 0.001;

export const AGENT_RULES: readonly HostRule[] = [
  {
    id: 'compatible-agent',
    category: 'hardware',
    checks: 'The host runs the agent image that the service is configured with, until the installation starts.',
    applies: ({ stage }) => stage === '',
    needs: [],
    claim: ({ agentVersion, policy }) => {
      const isCompatible = policy.agentImage === '' || agentVersion === policy.agentImage;
      return isCompatible ? pass() : fail(agentVersion, policy.agentImage);
    },
    messages: {
      success: 'The discovery agent is compatible with the service',
      failure: {
        message: 'The discovery agent "{0}" is not compatible with the service, which requires "{1}"',
        measured: '{0}',
        required: '{1}',
      },
    },
    remedy: 'Wait until the agent replaces itself. If it does not, boot the host from a new discovery image.',
    gate: 'known',
  },
  {
    id: 'container-images-available',
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
