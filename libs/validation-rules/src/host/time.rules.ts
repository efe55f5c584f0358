import { type HostFacts, isAfterReboot, isBound } from '../facts/host.facts';
import { fail, pass, passIf, pending } from '../rule/rule';
import type { HostRule } from './host-rule';

const BEHIND_MINUTES_MAX = 20;
const AHEAD_MINUTES_MAX = 60;
const SECONDS_PER_MINUTE = 60;
const ALLOWED = `at most ${BEHIND_MINUTES_MAX} minutes behind and ${AHEAD_MINUTES_MAX} minutes ahead`;

const isAgentRunning = ({ stage }: HostFacts): boolean => !isAfterReboot(stage);

export const TIME_RULES: readonly HostRule[] = [
  {
    id: 'ntp-synced',
    measuredBy: 'ntp-synchronizer',
    category: 'network',
    checks: 'The host is synchronized with at least one NTP source.',
    applies: (facts) => isAgentRunning(facts) && (isBound(facts) || facts.infraEnvHasNtpSources),
    initial: pending('awaits-ntp-sources'),
    suppressedUnbound: true,
    needs: [],
    claim: ({ ntpSources }) => {
      if (!ntpSources) return pending('awaits-ntp-sources');
      const synced = ntpSources.find(({ sourceState }) => sourceState === 'synced');
      return synced ? pass(synced.sourceName) : fail();
    },
    messages: {
      success: { message: 'The host is synchronized with NTP source {0}', measured: '{0}' },
      failure: 'The host is not synchronized with any NTP source',
      'awaits-ntp-sources': 'Waiting for the host to report its NTP sources',
    },
    remedy: 'Let the host reach an NTP source: open UDP port 123, or add another source in the settings.',
    gate: 'none',
    mayFlap: true,
  },
  {
    id: 'time-synced-between-host-and-service',
    category: 'network',
    checks: 'The clock of the host is at most 20 minutes behind and 60 minutes ahead of the clock of the service.',
    applies: isAgentRunning,
    needs: [],
    initial: pending('awaits-time'),
    claim: ({ clockOffsetSeconds: offset }) => {
      if (offset === undefined) return pending('awaits-time');
      const inStep =
        offset >= -BEHIND_MINUTES_MAX * SECONDS_PER_MINUTE && offset <= AHEAD_MINUTES_MAX * SECONDS_PER_MINUTE;
      return passIf(
        inStep,
        ...(inStep ? [] : [Math.abs(Math.round(offset)), offset < 0 ? 'behind' : 'ahead of'].map(String)),
      );
    },
    messages: {
      success: 'The clock of the host is synchronized with the service',
      failure: {
        message: `The clock of the host is {0} s {1} the clock of the service, ${ALLOWED} is allowed`,
        measured: '{0} s {1}',
        required: ALLOWED,
      },
      'awaits-time': 'Waiting for the host to report its time',
    },
    remedy: 'Set the clock of the host, or let it synchronize with an NTP source.',
    gate: 'known',
    mayFlap: true,
    toleratesPending: true,
  },
];
