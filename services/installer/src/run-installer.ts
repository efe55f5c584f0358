import { type Installation, type InstallerOptions, reportStage } from './installation';
import { PHASES, type Phase } from './phases.table';

/** The installation ended with the stage Failed, which the service knows. */
export class InstallationFailed extends Error {
  constructor(
    readonly phase: string,
    readonly reason: string,
  ) {
    super(`The installation failed in the phase "${phase}": ${reason}`);
    this.name = 'InstallationFailed';
  }
}

/** Runs the phases in order. @throws InstallationFailed after the stage Failed is reported */
export async function runInstaller(
  options: InstallerOptions,
  signal: AbortSignal,
  phases: readonly Phase[] = PHASES,
): Promise<void> {
  const background = new AbortController();
  const stop = (): void => background.abort();
  signal.addEventListener('abort', stop, { once: true });
  const installation: Installation = {
    ...options,
    device: options.settings.bootDevice,
    ignitionPath: '',
    background,
  };
  try {
    for (const phase of phases) {
      if (signal.aborted) return;
      if (phase.applies && !(await phase.applies(installation))) continue;
      options.observe?.({ type: 'phase', phase: phase.name });
      await runPhase(phase, installation, signal);
    }
  } finally {
    stop();
    signal.removeEventListener('abort', stop);
  }
}

async function runPhase(phase: Phase, installation: Installation, signal: AbortSignal): Promise<void> {
  try {
    await phase.run(installation, signal);
  } catch (error) {
    if (signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    await reportStage(installation, 'Failed', reason, signal);
    throw new InstallationFailed(phase.name, reason);
  }
}
