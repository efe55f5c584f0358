/** What keeps a service from answering well, by part; empty when it is ready. */
export class Readiness {
  private readonly parts = new Map<string, () => string | undefined>();

  /** `check` answers why the part is not ready, or undefined. */
  register(part: string, check: () => string | undefined): void {
    this.parts.set(part, check);
  }

  notReady(): { readonly part: string; readonly reason: string }[] {
    return [...this.parts].flatMap(([part, check]) => {
      const reason = check();
      return reason ? [{ part, reason }] : [];
    });
  }
}
