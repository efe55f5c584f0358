import { type Timer, untilAborted } from '@muster/host-api';
import type { Clock } from '@muster/ports';
import { errorMessage } from '@muster/schema';
import type { Machine } from '../machine/machine.port';
import { runStep } from '../steps/run-step';
import { type Instructions, type StepInstruction, type Transport, TransportRefused } from '../transport/transport.port';
import { createBackoff, createWakeSignal, pollWaitMs, STEP_MS_MAX } from './waiting';

/** Log entries of a running agent. */
export type AgentLogEntry =
  | { readonly type: 'registered'; readonly hostId: string; readonly agentVersion: string }
  | { readonly type: 'registration-failed'; readonly reason: string; readonly retryMs: number }
  | { readonly type: 'halted'; readonly reason: string }
  | { readonly type: 'poll-failed'; readonly reason: string; readonly retryMs: number }
  | { readonly type: 'step-started'; readonly stepType: string; readonly stepId: string }
  | { readonly type: 'step-ended'; readonly stepType: string; readonly exitCode: number; readonly error: string }
  | { readonly type: 'reply-unchanged'; readonly stepType: string }
  | { readonly type: 'reply-failed'; readonly stepType: string; readonly reason: string }
  | { readonly type: 'leaving'; readonly reason: string };

export type AgentObserver = (note: AgentLogEntry) => void;

/** Returns one line of the log, without the output of steps. */
export function toLine(note: AgentLogEntry): string {
  switch (note.type) {
    case 'registered':
      return `registered as host ${note.hostId}, steps run as ${note.agentVersion}`;
    case 'registration-failed':
      return `registration failed, next try in ${note.retryMs / 1000} s: ${note.reason}`;
    case 'halted':
      return `stopped: ${note.reason}`;
    case 'poll-failed':
      return `no instructions, next try in ${Math.round(note.retryMs)} ms: ${note.reason}`;
    case 'step-started':
      return `step ${note.stepId || note.stepType} started`;
    case 'step-ended':
      return `step ${note.stepType} ended with ${note.exitCode}${note.error ? `: ${note.error}` : ''}`;
    case 'reply-unchanged':
      return `step ${note.stepType} found no change`;
    case 'reply-failed':
      return `the result of ${note.stepType} did not reach the service: ${note.reason}`;
    case 'leaving':
      return `registering again: ${note.reason}`;
    default:
      return note satisfies never;
  }
}

export interface AgentOptions {
  readonly machine: Machine;
  readonly transport: Transport;
  /** The host id for which `transport` was opened. */
  readonly hostId: string;
  /** Image reference of this agent, or `muster-host:<version>`. */
  readonly agentVersion: string;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Returns a number in [0, 1). */
  readonly random?: () => number;
  /** Interval between attempts to register, in milliseconds. */
  readonly intervalMs?: number;
  /** The host is registered and runs from its disk: run its steps only, as for a reclaim. */
  readonly isRegistered?: boolean;
  /** `agentVersion` is that of this program. @default false: poll with the version that the registration returns */
  readonly keepsVersion?: boolean;
  /** End after an upgrade, because another program starts the upgraded agent. @default false: register again */
  readonly endsAfterUpgrade?: boolean;
  readonly observe?: AgentObserver;
}

/** Time after which an unchanged output is sent again. */
const KEPT_MS = 60 * 60_000;
/** The service requests these steps again only when it has discarded their last output. */
const MEASUREMENTS = ['installation-disk-speed-check', 'container-image-availability'];

/** Stores the last successful output of most step types, so that an unchanged output is not sent again. */
export interface ReplyCache {
  isKnown(stepType: string, output: string, nowMs: number): boolean;
  remember(stepType: string, output: string, nowMs: number): void;
  /** Removes the output of a step whose last result failed or was refused: the service shows that until the next result. */
  forget(stepType: string): void;
  /** Removes all stored outputs, because the service may have lost them. */
  flush(): void;
}

export function createReplyCache(): ReplyCache {
  const sent = new Map<string, { readonly output: string; readonly atMs: number }>();
  return {
    isKnown: (stepType, output, nowMs) => {
      const last = sent.get(stepType);
      const ageMs = last ? nowMs - last.atMs : KEPT_MS;
      // The age is negative when the clock was set back. The output would be known for as long in addition.
      return last?.output === output && ageMs >= 0 && ageMs < KEPT_MS;
    },
    remember: (stepType, output, nowMs) => {
      if (!MEASUREMENTS.includes(stepType)) sent.set(stepType, { output, atMs: nowMs });
    },
    forget: (stepType) => void sent.delete(stepType),
    flush: () => sent.clear(),
  };
}

/** Why a session ended. `forgotten`: the service does not have this host (any more). */
export interface SessionEnd {
  readonly kind: 'register-again' | 'upgraded' | 'forgotten';
  readonly reason: string;
}

const NOT_FOUND = 404;

/** The steps that run. Some run longer than the session that started them. */
interface RunningSteps {
  readonly types: Set<string>;
  /** The agent was upgraded, and no session has ended for it. */
  isUpgraded: boolean;
  /** Wakes the present session. */
  wake(): void;
}

const noSteps = (): RunningSteps => ({ types: new Set(), isUpgraded: false, wake: () => undefined });

/**
 * Runs from one registration to the next: waits for a poll or a wake-up, and starts the returned steps without waiting
 * for them. While the installer runs, an unavailable service does not end the session, because a host that registers
 * during its installation has restarted. `running`: also the steps of earlier sessions.
 */
export async function runSession(
  options: AgentOptions,
  signal: AbortSignal,
  running: RunningSteps = noSteps(),
): Promise<SessionEnd> {
  const wakeSignal = createWakeSignal(options.timer);
  const working = running.types;
  running.wake = wakeSignal.ring;
  const cache = createReplyCache();
  const backoff = createBackoff(options.random ?? Math.random);
  const isInstalling = async (): Promise<boolean> =>
    working.has('install') || (await options.machine.isInstalling(signal));
  const stopListening = options.transport.listen(wakeSignal.ring);
  try {
    while (!signal.aborted && !running.isUpgraded) {
      let instructions: Instructions;
      try {
        const timestampSeconds = Math.floor(options.clock.nowMs() / 1000);
        instructions = await options.transport.nextSteps(options.agentVersion, timestampSeconds, signal);
        backoff.reset();
      } catch (error) {
        cache.flush();
        if (signal.aborted) break;
        const reason = errorMessage(error);
        if (error instanceof TransportRefused && error.status === NOT_FOUND) return { kind: 'forgotten', reason };
        const retryMs = backoff.next() ?? ((await isInstalling()) ? STEP_MS_MAX : undefined);
        if (retryMs === undefined) return { kind: 'register-again', reason };
        options.observe?.({ type: 'poll-failed', reason, retryMs });
        await wakeSignal.wait(retryMs, signal);
        continue;
      }
      for (const order of instructions.steps) {
        // A wake-up may cause a second poll that returns a running step again. Two checks of one disk would slow each other down.
        if (working.has(order.stepType) || (order.stepType === 'install' && (await isInstalling()))) continue;
        working.add(order.stepType);
        void doStep(options, cache, order, signal)
          .then((hasUpgraded) => {
            if (!hasUpgraded) return;
            running.isUpgraded = true;
            running.wake();
          })
          .finally(() => working.delete(order.stepType));
      }
      if (instructions.postStepAction === 'exit')
        return { kind: 'register-again', reason: 'the service ended this session' };
      await wakeSignal.wait(pollWaitMs(instructions.nextInstructionSeconds), signal);
    }
    if (!running.isUpgraded) return { kind: 'register-again', reason: 'the agent was stopped' };
    running.isUpgraded = false;
    return { kind: 'upgraded', reason: 'the agent image was upgraded' };
  } finally {
    stopListening();
  }
}

/** Runs one step and sends the result. Returns true after a successful upgrade of the agent. Never throws. */
async function doStep(
  options: AgentOptions,
  cache: ReplyCache,
  { stepType, stepId, args }: StepInstruction,
  signal: AbortSignal,
): Promise<boolean> {
  const { observe, clock, transport } = options;
  observe?.({ type: 'step-started', stepType, stepId });
  const { exitCode, output, error } = await runStep(options.machine, stepType, args, signal);
  if (signal.aborted) return false;
  observe?.({ type: 'step-ended', stepType, exitCode, error });
  if (exitCode !== 0) cache.forget(stepType);
  if (exitCode === 0 && cache.isKnown(stepType, output, clock.nowMs())) {
    observe?.({ type: 'reply-unchanged', stepType });
    return false;
  }
  try {
    await transport.reply({ stepType, stepId, exitCode, output, error }, signal);
    if (exitCode === 0) cache.remember(stepType, output, clock.nowMs());
  } catch (failure) {
    if (signal.aborted) return false;
    cache.forget(stepType);
    const reason = errorMessage(failure);
    observe?.({ type: 'reply-failed', stepType, reason });
    // The next result is as large, so its validation would wait without end.
    if (exitCode === 0 && failure instanceof TransportRefused && failure.isTooLarge) {
      const why = `The result has ${output.length} characters, which is too large: ${failure.reason}`.toWellFormed();
      await transport.reply({ stepType, stepId, exitCode: -1, output: '', error: why }, signal).catch(() => undefined);
    }
    return false;
  }
  return stepType === 'upgrade-agent' && exitCode === 0 && output.includes('"result":"success"');
}

export const DEFAULT_INTERVAL_MS = 60_000;
/** Wait after a refused registration. The cause may be corrected meanwhile. */
const REFUSED_WAIT_MS = 60 * 60_000;
/** Minimum wait between two registrations, in case the service always answers "exit". */
const COOL_DOWN_MS = 1_000;
/** The service refuses this host. Repeating the request soon would have the same result. */
const FINAL_STATUSES = [401, 403, 404, 409];

/**
 * Runs an agent until `signal` is aborted:
 * 1. register, and repeat after failures. An agent that starts while the installer runs first polls without a registration;
 * 2. poll for steps, run them and reply, until the session ends;
 * 3. start again.
 * With `isRegistered`, only steps are run. With `endsAfterUpgrade`, it also ends after an upgrade.
 */
export async function runAgent(options: AgentOptions, signal: AbortSignal): Promise<void> {
  let isRegistered = options.isRegistered || (await options.machine.isInstalling(signal));
  const running = noSteps();
  while (!signal.aborted) {
    const runnerVersion = isRegistered ? options.agentVersion : await registerWithTimeout(options, signal);
    if (runnerVersion === undefined) return;
    const end = await runSession({ ...options, agentVersion: runnerVersion }, signal, running);
    if (signal.aborted) return;
    if (end.kind === 'forgotten') {
      options.observe?.({ type: 'halted', reason: end.reason });
      return untilAborted(signal);
    }
    if (end.kind === 'upgraded' && options.endsAfterUpgrade) {
      options.observe?.({ type: 'halted', reason: end.reason });
      return;
    }
    options.observe?.({ type: 'leaving', reason: end.reason });
    // The service ended the session, or no installer runs.
    isRegistered = options.isRegistered ?? false;
    // The host that is being reclaimed reboots meanwhile.
    await options.timer.sleep(isRegistered ? DEFAULT_INTERVAL_MS : COOL_DOWN_MS, signal);
  }
}

async function registerWithTimeout(options: AgentOptions, signal: AbortSignal): Promise<string | undefined> {
  const { transport, machine, observe, timer } = options;
  while (!signal.aborted) {
    try {
      const answer = await transport.register(options.agentVersion, await machine.identity(), signal);
      const { agentVersion } = options.keepsVersion ? options : answer;
      observe?.({ type: 'registered', hostId: options.hostId, agentVersion });
      return agentVersion;
    } catch (error) {
      if (signal.aborted) break;
      const reason = errorMessage(error);
      const isFinal = error instanceof TransportRefused && FINAL_STATUSES.includes(error.status);
      const retryMs = isFinal ? REFUSED_WAIT_MS : (options.intervalMs ?? DEFAULT_INTERVAL_MS);
      observe?.(
        isFinal
          ? { type: 'halted', reason: `${reason} The agent tries again in ${REFUSED_WAIT_MS / 60_000} minutes.` }
          : { type: 'registration-failed', reason, retryMs },
      );
      await timer.sleep(retryMs, signal);
    }
  }
  return undefined;
}
