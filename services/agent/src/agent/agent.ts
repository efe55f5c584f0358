import { untilAborted } from '@muster/host-api';
import { TransportRefused } from '../transport/transport.port';
import type { AgentOptions } from './agent-options';
import { runSession } from './session';

export const DEFAULT_INTERVAL_MS = 60_000;
/** A refused registration is looked at again after this long: someone may have put it right meanwhile. */
const REFUSED_WAIT_MS = 60 * 60_000;
/** Between two registrations in a row, so that a service that always says "exit" is not flooded. */
const COOL_DOWN_MS = 1_000;
/** The service knows us and says no: trying again soon would not help. */
const FINAL_STATUSES = [401, 403, 404, 409];

/**
 * The life of an agent, until `signal` is aborted:
 * 1. register, with timeout; 2. ask for steps, do them, reply, until told to leave; 3. begin again.
 */
export async function runAgent(options: AgentOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const runnerVersion = await registerWithTimeout(options, signal);
    if (runnerVersion === undefined) return;
    const end = await runSession({ ...options, agentVersion: runnerVersion }, signal);
    if (signal.aborted) return;
    if (end.kind === 'forgotten') {
      options.observe?.({ type: 'halted', reason: end.reason });
      return untilAborted(signal);
    }
    options.observe?.({ type: 'leaving', reason: end.reason });
    await options.timer.sleep(COOL_DOWN_MS, signal);
  }
}

async function registerWithTimeout(options: AgentOptions, signal: AbortSignal): Promise<string | undefined> {
  const { transport, machine, observe, timer } = options;
  while (!signal.aborted) {
    try {
      const { agentVersion } = await transport.register(options.agentVersion, await machine.identity(), signal);
      observe?.({ type: 'registered', hostId: options.hostId, agentVersion });
      return agentVersion;
    } catch (error) {
      if (signal.aborted) break;
      const reason = error instanceof Error ? error.message : String(error);
      const isFinal = error instanceof TransportRefused && FINAL_STATUSES.includes(error.status);
      const retryMs = isFinal ? REFUSED_WAIT_MS : (options.intervalMs ?? DEFAULT_INTERVAL_MS);
      observe?.(
        isFinal
          ? { type: 'halted', reason: `${reason} Next look in ${REFUSED_WAIT_MS / 60_000} minutes.` }
          : { type: 'registration-failed', reason, retryMs },
      );
      await timer.sleep(retryMs, signal);
    }
  }
  return undefined;
}
