import { TransportRefused, type Instructions, type StepInstruction } from '../transport/transport.port';
import { runStep } from '../steps/run-step';
import type { AgentOptions } from './agent-options';
import { createWakeSignal } from './wake-signal';
import { createBackoff } from './backoff';
import { createReplyCache, type ReplyCache } from './reply-cache';

/** Why a session ended. `forgotten`: the service does not know this host (any more). */
export interface SessionEnd {
  readonly kind: 'register-again' | 'forgotten';
  readonly reason: string;
}

const NOT_FOUND = 404;

/** From a registration to the next: poll or be nudged, start the steps, do not wait for them. */
export async function runSession(options: AgentOptions, signal: AbortSignal): Promise<SessionEnd> {
  const wakeSignal = createWakeSignal(options.timer);
  const cache = createReplyCache();
  const backoff = createBackoff(options.random ?? Math.random);
  const working = new Set<string>();
  let isUpgraded = false;
  const stopListening = options.transport.listen(wakeSignal.ring);
  try {
    while (!signal.aborted && !isUpgraded) {
      let instructions: Instructions;
      try {
        const timestampSeconds = Math.floor(options.clock.nowMs() / 1000);
        instructions = await options.transport.nextSteps(options.agentVersion, timestampSeconds, signal);
        backoff.reset();
      } catch (error) {
        cache.flush();
        if (signal.aborted) break;
        const reason = error instanceof Error ? error.message : String(error);
        if (error instanceof TransportRefused && error.status === NOT_FOUND) return { kind: 'forgotten', reason };
        const retryMs = backoff.next();
        if (retryMs === undefined) return { kind: 'register-again', reason };
        options.observe?.({ type: 'poll-failed', reason, retryMs });
        await wakeSignal.wait(retryMs, signal);
        continue;
      }
      for (const order of instructions.steps) {
        // A nudge may bring the same question again before the first one is answered.
        if (working.has(order.stepType)) continue;
        working.add(order.stepType);
        void doStep(options, cache, order, signal)
          .then((hasUpgraded) => {
            isUpgraded ||= hasUpgraded;
            if (hasUpgraded) wakeSignal.ring();
          })
          .finally(() => working.delete(order.stepType));
      }
      if (instructions.postStepAction === 'exit')
        return { kind: 'register-again', reason: 'the service says that this session is over' };
      await wakeSignal.wait(instructions.nextInstructionSeconds * 1000, signal);
    }
    return { kind: 'register-again', reason: isUpgraded ? 'the agent image was upgraded' : 'the agent was stopped' };
  } finally {
    stopListening();
  }
}

/** Runs one step and tells the service. True when it was a successful upgrade of the agent. Never throws. */
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
  if (exitCode === 0 && cache.isKnown(stepType, output, clock.nowMs())) {
    observe?.({ type: 'reply-unchanged', stepType });
    return false;
  }
  try {
    await transport.reply({ stepType, stepId, exitCode, output, error }, signal);
    if (exitCode === 0) cache.remember(stepType, output, clock.nowMs());
  } catch (failure) {
    if (signal.aborted) return false;
    const reason = failure instanceof Error ? failure.message : String(failure);
    observe?.({ type: 'reply-failed', stepType, reason });
    return false;
  }
  return stepType === 'upgrade-agent' && exitCode === 0 && output.includes('"result":"success"');
}
