import type { HostFacts } from '../facts/host.facts';
import { passIf } from '../rule/rule';
import type { HostRule } from './host-rule';
import { isAfterReboot } from './stages';

const isAgentRunning = ({ stage }: HostFacts): boolean => !isAfterReboot(stage);

export const CONNECTION_RULES: readonly HostRule[] = [
  {
    id: 'connected',
    category: 'network',
    checks:
      'The agent has asked for instructions within the last 3 minutes (5 on the bootstrap host), until the host reboots.',
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
    comesAndGoes: true,
    inPool: true,
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
    comesAndGoes: true,
    inPool: true,
  },
];
