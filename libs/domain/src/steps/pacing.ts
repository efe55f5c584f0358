import { type CheckTurn, ConnectivityRounds } from './connectivity-rounds';
import type { PlannedStep, StepPlan } from './step-table';

/** Maximum polls per second of the hosts of one cluster while instructions may change at any moment. */
export const PROMPT_POLLS_PER_SECOND_MAX = 25;
/**
 * Maximum polls per second of all hosts that are ready. More of these hosts poll less often, at least once a minute: a fleet that waits
 * costs as little as one without a cluster.
 */
export const READY_POLLS_PER_SECOND_MAX = 50;
/** Seconds between an answer and the next poll. */
export const PROMPT_INTERVAL_SECONDS_MIN = 1;
/**
 * Maximum time for which a poll is held, in seconds. The agent of assisted-service v2 gives up after 30 seconds, as do
 * common proxies.
 */
export const HOLD_SECONDS_MAX = 20;

/** Host statuses in which the step `install` is next, independent of the status of the cluster. */
const PREPARING_HOST_STATUSES: readonly string[] = ['preparing-for-installation', 'preparing-successful'];

/** Seconds until a host polls again whose first inventory is outstanding. Its poll is not held, because the status may last long. */
const DISCOVERY_INTERVAL_SECONDS = 5;
/**
 * Seconds until a host polls again whose connectivity check named other hosts than the one before. More hosts may boot
 * meanwhile, and a cluster is ready only after its hosts have checked all others.
 */
const CHECK_AGAIN_SECONDS = 15;

/** From this number of hosts, checks wait until no host has joined or left for a time that grows with their number. */
const SETTLING_HOSTS_MIN = 50;
const SETTLING_MS_PER_HOST = 20;

/** Stands for the arguments of the connectivity check, which are long. */
export interface RemoteHostsVersion {
  readonly version: number;
  /** Milliseconds of a steady clock. */
  readonly changedAtMs: number;
}

export interface PollSituation {
  /** Identifies the host. */
  readonly host: string;
  readonly hostStatus: string;
  /** Empty for a host without a cluster. */
  readonly clusterId: string;
  readonly clusterStatus: string;
  readonly hostCount: number;
  /** The hosts that a connectivity check names. */
  readonly remoteHosts: () => RemoteHostsVersion;
  /** The agent receives wake-ups for new instructions, so it need not poll for them. */
  readonly receivesNudges: boolean;
}

interface PollRound {
  /** The steps that were sent, except the connectivity check. */
  readonly fingerprint: string;
  readonly sentAtMs: number;
  /** Version of the remote hosts of the last connectivity check; undefined before it. */
  readonly checkedVersion: number | undefined;
  /** Time of the last check, or of the first poll that could have returned one. */
  readonly checkedAtMs: number;
  /** The check is due and has to wait for this turn. */
  readonly turn: CheckTurn | undefined;
  /** Seconds until the next poll of a host whose check is due or was just sent. Undefined: it polls at the interval of its row. */
  readonly soonSeconds: number | undefined;
}

/**
 * A plan as it is sent. `holdSeconds`: how long the answer may be held while nothing changes. 0 when it contains steps.
 */
export interface ScheduledPlan extends StepPlan {
  readonly holdSeconds: number;
}

/**
 * Adapts the interval of polls to the status of the host and its cluster. While instructions may change at any moment, a
 * poll without new steps is held until the host is notified. Agents run every step of every answer, so a step is repeated
 * only at the interval of its row.
 */
export class PollScheduler {
  private readonly rounds = new Map<string, PollRound>();
  private readonly checks = new ConnectivityRounds();
  private readonly ready = new PollingHosts();

  /** Returns the plan as it is sent now. `nowMs`: milliseconds of a steady clock. */
  apply(plan: StepPlan, situation: PollSituation, nowMs: number): ScheduledPlan {
    const { host, clusterId, hostCount } = situation;
    const pace = paceOf(plan, situation);
    const last = this.rounds.get(host);
    const current = fingerprintOf(plan);
    // A new text per poll would outlive the next poll and so burden the garbage collector.
    const fingerprint = last?.fingerprint === current ? last.fingerprint : current;
    const isRound = last?.fingerprint !== fingerprint || isRoundDue(plan, pace, last, nowMs);
    const remoteHosts = plan.steps.some(isCheck) ? situation.remoteHosts() : undefined;
    const isNewVersion = remoteHosts !== undefined && remoteHosts.version !== last?.checkedVersion;
    const isCheckDue = isNewVersion
      ? isSettled(remoteHosts, hostCount, nowMs) || secondsUntilRound(plan, last?.checkedAtMs ?? nowMs, nowMs) <= 0
      : remoteHosts !== undefined && (isRound || last.turn !== undefined);
    const due = { clusterId, hostCount, isNewVersion };
    const turn = isCheckDue ? this.checks.turnOf(due, last?.turn, nowMs) : undefined;
    const checks = turn !== undefined && turn.atMs <= nowMs;
    const untilTurn = turn && !checks ? Math.ceil((turn.atMs - nowMs) / 1_000) : undefined;
    const soonSeconds = secondsUntilCheck(isNewVersion, untilTurn, plan, situation);
    const sentAtMs = isRound ? nowMs : last.sentAtMs;
    this.rounds.set(host, {
      fingerprint,
      sentAtMs,
      checkedVersion: checks ? remoteHosts?.version : last?.checkedVersion,
      checkedAtMs: checks ? nowMs : (last?.checkedAtMs ?? nowMs),
      turn: checks ? undefined : turn,
      soonSeconds,
    });
    const steps = plan.steps.filter((step) => (isCheck(step) ? checks : isRound));
    switch (pace) {
      case 'held': {
        const untilRound = Math.ceil(secondsUntilRound(plan, sentAtMs, nowMs)) - PROMPT_INTERVAL_SECONDS_MIN;
        const holdSeconds =
          steps.length > 0 ? 0 : Math.min(HOLD_SECONDS_MAX, untilRound, untilTurn ?? HOLD_SECONDS_MAX);
        const inCluster = intervalOf(situation, HOLD_SECONDS_MAX);
        const intervalSeconds = isPreparing(situation)
          ? inCluster
          : Math.max(inCluster, readyInterval(plan, this.ready.count(host, nowMs)));
        return { ...plan, steps, intervalSeconds, holdSeconds };
      }
      case 'discovery':
        return { ...plan, steps, intervalSeconds: soon(DISCOVERY_INTERVAL_SECONDS, plan, situation), holdSeconds: 0 };
      case 'row':
        return { ...plan, steps, intervalSeconds: soonSeconds ?? plan.intervalSeconds, holdSeconds: 0 };
    }
  }

  /** Removes the memory of a host that was installed or removed. */
  forget(host: string): void {
    this.rounds.delete(host);
  }
}

const isCheck = ({ type }: PlannedStep): boolean => type === 'connectivity-check';

/** `held`: polls without new steps are held. `row`: polls have the interval of the row, except while a check is due. */
type Pace = 'held' | 'discovery' | 'row';

/** Hosts enter `installing` one after another, shortly after their cluster. Until then their next step is due at any moment. */
function paceOf({ then }: StepPlan, situation: PollSituation): Pace {
  if (situation.receivesNudges || then !== 'continue') return 'row';
  if (isReady(situation) || isPreparing(situation)) return 'held';
  return situation.hostStatus === 'discovering' ? 'discovery' : 'row';
}

/** A poll shortly before the end of the interval belongs to the next round. */
function isRoundDue(plan: StepPlan, pace: Pace, { sentAtMs, soonSeconds }: PollRound, nowMs: number): boolean {
  if (secondsUntilRound(plan, sentAtMs, nowMs) <= PROMPT_INTERVAL_SECONDS_MIN) return true;
  switch (pace) {
    case 'held':
      return false;
    case 'discovery':
      return isRestarted(DISCOVERY_INTERVAL_SECONDS, sentAtMs, nowMs);
    case 'row':
      return soonSeconds === undefined || isRestarted(soonSeconds, sentAtMs, nowMs);
  }
}

/** An agent that polls in less than half of its interval has started again and needs its steps. */
const isRestarted = (intervalSeconds: number, sentAtMs: number, nowMs: number): boolean =>
  nowMs - sentAtMs < (intervalSeconds / 2) * 1_000;

/** While hosts join a large cluster, each check would name only a part of them and cost as much as a complete one. */
const isSettled = ({ changedAtMs }: RemoteHostsVersion, hostCount: number, nowMs: number): boolean =>
  hostCount < SETTLING_HOSTS_MIN || nowMs - changedAtMs >= hostCount * SETTLING_MS_PER_HOST;

const secondsUntilRound = ({ intervalSeconds }: StepPlan, sentAtMs: number, nowMs: number): number =>
  intervalSeconds - (nowMs - sentAtMs) / 1_000;

/** Statuses whose rows differ only in the order of their steps have the same fingerprint. */
const fingerprintOf = ({ steps }: StepPlan): string =>
  steps
    .flatMap((step) => (isCheck(step) ? [] : [`${step.type} ${step.args.join(' ')}`]))
    .sort()
    .join('\n');

/** A round of polls consists of a hold and an interval. The interval grows with the number of hosts. */
const intervalOf = ({ hostCount }: PollSituation, holdSeconds = 0): number =>
  Math.max(PROMPT_INTERVAL_SECONDS_MIN, Math.ceil(hostCount / PROMPT_POLLS_PER_SECOND_MAX) - holdSeconds);

/** A user may start the installation of these hosts at any moment: with their cluster, or each host that is added to a running cluster. */
const isReady = ({ clusterStatus, hostStatus }: PollSituation): boolean =>
  clusterStatus === 'ready' || (clusterStatus === 'adding-hosts' && hostStatus === 'known');

/** The next step of these hosts is due within seconds. */
const isPreparing = ({ clusterStatus, hostStatus }: PollSituation): boolean =>
  clusterStatus === 'preparing-for-installation' || PREPARING_HOST_STATUSES.includes(hostStatus);

const readyInterval = (plan: StepPlan, hosts: number): number =>
  Math.min(Math.ceil(hosts / READY_POLLS_PER_SECOND_MAX), plan.intervalSeconds) - HOLD_SECONDS_MAX;

const soon = (seconds: number, plan: StepPlan, situation: PollSituation): number =>
  Math.min(Math.max(seconds, intervalOf(situation)), plan.intervalSeconds);

/** A host polls again at its turn. After its first check of the present hosts it polls soon, because the next one may name more. */
function secondsUntilCheck(
  isNewVersion: boolean,
  untilTurn: number | undefined,
  plan: StepPlan,
  situation: PollSituation,
): number | undefined {
  if (untilTurn !== undefined) return Math.min(untilTurn, plan.intervalSeconds);
  return isNewVersion ? soon(CHECK_AGAIN_SECONDS, plan, situation) : undefined;
}

const MINUTE_MS = 60_000;

/** Counts the hosts that polled within about a minute. */
class PollingHosts {
  private before: ReadonlySet<string> = new Set();
  private current = new Set<string>();
  private beganAtMs = 0;

  /** Returns the number of hosts, this one included. `nowMs`: milliseconds of a steady clock. */
  count(host: string, nowMs: number): number {
    const minutes = Math.floor((nowMs - this.beganAtMs) / MINUTE_MS);
    if (minutes > 0) {
      this.before = minutes === 1 ? this.current : new Set();
      this.current = new Set();
      this.beganAtMs += minutes * MINUTE_MS;
    }
    this.current.add(host);
    return Math.max(this.before.size, this.current.size);
  }
}
