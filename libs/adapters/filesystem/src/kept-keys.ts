/** The key of a scope, and the form in which the storage has it. */
export interface ScopeKey {
  readonly key: Buffer;
  readonly wrapped: Buffer;
}

/**
 * Keys of scopes are kept in memory for this long, because the values of a new cluster or infra-env are sealed and opened together. A scope
 * that another process destroys has no values any more, so a kept key opens nothing.
 */
const KEPT_KEY_MS = 60_000;
const KEPT_KEYS_MAX = 1_000;

/** The keys of the scopes that were used last. */
export class KeptKeys {
  private readonly kept = new Map<string, ScopeKey & { readonly endsAtMs: number }>();

  get(scope: string): ScopeKey | undefined {
    this.removeOldest();
    return this.kept.get(scope);
  }

  keep(scope: string, key: ScopeKey): ScopeKey {
    this.kept.delete(scope);
    this.kept.set(scope, { ...key, endsAtMs: performance.now() + KEPT_KEY_MS });
    this.removeOldest();
    return key;
  }

  delete(scope: string): void {
    this.kept.delete(scope);
  }

  /** The oldest are first. */
  private removeOldest(): void {
    const nowMs = performance.now();
    for (const [oldest, { endsAtMs }] of this.kept) {
      if (endsAtMs > nowMs && this.kept.size <= KEPT_KEYS_MAX) return;
      this.kept.delete(oldest);
    }
  }
}
