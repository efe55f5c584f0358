import type { HostFacts } from '../facts/host.facts';
import { passIf } from '../rule/rule';
import type { HostRule } from './host-rule';
import { isAfterReboot } from './stages';

const isAgentRunning = ({ stage }: HostFacts): boolean => !isAfterReboot(stage);

export const CONNECTION_RULES: readonly HostRule[] = [
  {
    id: 'connected',
    category: 'network',
    checks: 'The agent has asked for work within the last 3 minutes (5 on the bootstrap host), until the host reboots.',
    applies: isAgentRunning,
    needs: [],
    claim: ({ isSilent }) => passIf(!isSilent),
    explain: ({ passed }) => (passed ? 'Host is connected' : 'Host has stopped asking for work'),
    remedy:
      'Check that the host is switched on, runs the discovery image and can reach the service; then wait for its agent.',
    gate: 'connection',
    comesAndGoes: true,
    inPool: true,
  },
  {
    id: 'media-connected',
    category: 'network',
    checks: 'The discovery image can still be read on the host, until it reboots.',
    applies: isAgentRunning,
    needs: [],
    claim: ({ isMediaConnected }) => passIf(isMediaConnected),
    explain: ({ passed }) => (passed ? 'Discovery media is connected' : 'Discovery media can no longer be read'),
    remedy: 'Attach the virtual or physical media with the discovery image again and restart the host.',
    gate: 'media',
    comesAndGoes: true,
    inPool: true,
  },
];
