/** How long an unchanged output is not sent again. */
const KEPT_MS = 60 * 60_000;

/** Remembers, per step type, the successful output that the service has, so that the same is not sent twice. */
export interface ReplyCache {
  isKnown(stepType: string, output: string, nowMs: number): boolean;
  remember(stepType: string, output: string, nowMs: number): void;
  /** The service may have lost what it had. */
  flush(): void;
}

export function createReplyCache(): ReplyCache {
  const sent = new Map<string, { readonly output: string; readonly atMs: number }>();
  return {
    isKnown: (stepType, output, nowMs) => {
      const last = sent.get(stepType);
      return last !== undefined && last.output === output && nowMs - last.atMs < KEPT_MS;
    },
    remember: (stepType, output, nowMs) => void sent.set(stepType, { output, atMs: nowMs }),
    flush: () => sent.clear(),
  };
}
