import { type HostFacts, isBound } from '../facts/host.facts';
import { passIf, pending } from '../rule/rule';
import type { HostRule } from './host-rule';
import { isAfterReboot } from './stages';

const BEHIND_MINUTES_MAX = 20;
const AHEAD_MINUTES_MAX = 60;
const SECONDS_PER_MINUTE = 60;

const isAgentRunning = ({ stage }: HostFacts): boolean => !isAfterReboot(stage);

export const TIME_RULES: readonly HostRule[] = [
  {
    id: 'ntp-synced',
    category: 'network',
    checks: 'The host is in step with at least one time source.',
    applies: (facts) => isAgentRunning(facts) && (isBound(facts) || facts.infraEnvHasNtpSources),
    needs: [],
    claim: ({ ntpSources }) => {
      const synced = ntpSources.find(({ sourceState }) => sourceState === 'synced');
      return passIf(synced !== undefined, synced?.sourceName ?? '');
    },
    explain: ({ passed, measured }) => (passed ? `Clock follows ${measured}` : 'Clock follows no time source'),
    remedy: 'Let the host reach a time source: open UDP port 123, or name another source in the settings.',
    gate: 'none',
    comesAndGoes: true,
  },
  {
    id: 'time-synced-between-host-and-service',
    category: 'network',
    checks: 'The clock of the host is at most 20 minutes behind and 60 minutes ahead of that of the service.',
    applies: isAgentRunning,
    needs: [],
    claim: ({ clockOffsetSeconds: offset }) => {
      if (offset === undefined) return pending('Waiting for the host to tell its time');
      const inStep =
        offset >= -BEHIND_MINUTES_MAX * SECONDS_PER_MINUTE && offset <= AHEAD_MINUTES_MAX * SECONDS_PER_MINUTE;
      const allowed = `at most ${BEHIND_MINUTES_MAX} minutes behind and ${AHEAD_MINUTES_MAX} minutes ahead`;
      return passIf(inStep, `${Math.abs(Math.round(offset))} s ${offset < 0 ? 'behind' : 'ahead'}`, allowed);
    },
    explain: ({ passed, measured, required }) =>
      passed
        ? 'Clock agrees with that of the service'
        : `Clock is ${measured} of that of the service, allowed is ${required}`,
    remedy: 'Set the clock of the host, or let it follow a time source.',
    gate: 'known',
    comesAndGoes: true,
    toleratesPending: true,
  },
];
