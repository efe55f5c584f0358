/** What an agent reports while it runs: for logs, displays and tests. */
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
      return `step ${note.stepType} found what the service knows already`;
    case 'reply-failed':
      return `the result of ${note.stepType} did not reach the service: ${note.reason}`;
    case 'leaving':
      return `registering anew: ${note.reason}`;
    default:
      return note satisfies never;
  }
}
