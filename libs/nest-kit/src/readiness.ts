/** The parts of a process that are not ready, with the reason. */
export class Readiness {
  private readonly parts = new Map<string, () => string | undefined>();

  /** `check` returns why the part is not ready, or undefined. */
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
