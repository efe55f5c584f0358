import { unavailableIn } from '@muster/ports';

const FIRST_WAIT_MS = 500;
const LAST_WAIT_MS = 30_000;

/**
 * Pauses after failures and reports them. The pause doubles while the failure repeats, up to 30 s. A failure with the
 * same message is reported once. After a failure of a server that is not available, the pause is always the shortest.
 */
export class RepeatedFailure {
  private message: string | undefined;
  private waitMs = FIRST_WAIT_MS;
  private endPause: () => void = () => undefined;

  constructor(private readonly onError: (error: Error) => void) {}

  /** Reports the failure. Resolves after the pause, or when `end` is called. */
  async pauseAfter(failure: unknown): Promise<void> {
    const error = failure instanceof Error ? failure : new Error(String(failure));
    if (error.message !== this.message) this.onError(error);
    this.message = error.message;
    const { waitMs } = this;
    if (!unavailableIn(error)) this.waitMs = Math.min(waitMs * 2, LAST_WAIT_MS);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** After a success, the next failure is reported and has the shortest pause. */
  succeeded(): void {
    this.message = undefined;
    this.waitMs = FIRST_WAIT_MS;
  }

  /** Ends the pause. */
  end(): void {
    this.endPause();
  }
}
