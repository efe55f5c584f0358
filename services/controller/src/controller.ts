import type { ServiceApi, Timer } from '@muster/host-api';
import { retryUntilDone } from '@muster/host-api';
import type { ClusterApi } from '@muster/ports';
import type { ControllerSettings } from './settings';

/** Programs and files of the node that the controller runs on. */
export interface ControllerHost {
  /** Exit code 127 when there is no such program. */
  run(program: string, args: readonly string[], signal: AbortSignal): Promise<{ exitCode: number; output: string }>;
  /** Writes a temporary file and returns its path. */
  writeTemporary(name: string, content: string | Buffer): Promise<string>;
  /** Returns undefined when the file does not exist. */
  readFile(path: string): Promise<Buffer | undefined>;
  /** Returns a `.tar.gz` of a folder. */
  archive(folder: string, signal: AbortSignal): Promise<Buffer>;
}

export type ControllerLogEntry =
  | { readonly type: 'ready' }
  /** A stage of the cluster was reported. */
  | { readonly type: 'finalizing'; readonly stage: string }
  | { readonly type: 'host-stage'; readonly hostId: string; readonly stage: string }
  | { readonly type: 'ended'; readonly status: string }
  | { readonly type: 'note'; readonly text: string };

export interface Controller {
  readonly settings: ControllerSettings;
  readonly api: ServiceApi;
  readonly cluster: ClusterApi;
  readonly host: ControllerHost;
  readonly timer: Timer;
  readonly observe?: (entry: ControllerLogEntry) => void;
}

const SECOND_MS = 1_000;
/** How often each loop looks; milliseconds. */
export const INTERVALS_MS = {
  ready: SECOND_MS,
  clusterStatus: 60 * SECOND_MS,
  nodes: 30 * SECOND_MS,
  finalizing: 30 * SECOND_MS,
  operators: 60 * SECOND_MS,
  routerCa: 10 * SECOND_MS,
  olmList: 10 * SECOND_MS,
  logs: 5 * 60 * SECOND_MS,
  dnsConflict: 20 * SECOND_MS,
} as const;

export const note = ({ observe }: Controller, text: string): void => observe?.({ type: 'note', text });

/** Calls `attempt` until it does not throw; each reason is noted. */
export const persist = (
  controller: Controller,
  what: string,
  intervalMs: number,
  attempt: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> =>
  retryUntilDone(
    attempt,
    { timer: controller.timer, intervalMs, onFailure: (reason) => note(controller, `${what} failed: ${reason}`) },
    signal,
  );

/** Repeats `round` until it returns true; a round that throws is noted and repeated. */
export async function repeat(
  controller: Controller,
  what: string,
  intervalMs: number,
  round: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (await round()) return;
    } catch (error) {
      if (signal.aborted) return;
      note(controller, `${what} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    await controller.timer.sleep(intervalMs, signal);
  }
}
