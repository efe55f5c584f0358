import { explainFailure } from '@muster/host-api';
import { errorCode, errorMessage } from '@muster/schema';
import { bootstrapInPlace, followBootstrap } from './bootstrap/follow-bootstrap';
import { startBootstrap } from './bootstrap/start-bootstrap';
import { finish, sendLogs, waitForControlPlane } from './completion';
import { setBootOrder } from './disk/boot-order';
import { installOnExistingRoot } from './disk/existing-root';
import { copyRegistryData, hasRegistryData, skipMcoReboot } from './disk/finish-disk';
import { cleanDisk, formatDisks, resolveDevice, writeDisk } from './disk/write-disk';
import { CommandFailed } from './host.port';
import {
  fetchHostIgnition,
  type Installation,
  type InstallerOptions,
  isMultiNodeBootstrap,
  isSingleNode,
  isWorker,
  reportStage,
} from './installation';

/**
 * One step of an installation. The phases run in the order of the table. The first one that throws ends the
 * installation.
 */
export interface Phase {
  readonly name: string;
  /** @default always */
  readonly applies?: (installation: Installation) => boolean | Promise<boolean>;
  readonly run: (installation: Installation, signal: AbortSignal) => Promise<void>;
}

const writesDisk = ({ settings }: Installation): boolean => settings.coreosImage === '';

export const PHASES: readonly Phase[] = [
  { name: 'format disks', applies: writesDisk, run: formatDisks },
  {
    name: 'report the start',
    run: (installation, signal) =>
      reportStage(installation, 'Starting installation', installation.settings.role, signal),
  },
  { name: 'resolve the boot device', applies: writesDisk, run: resolveDevice },
  {
    name: 'clean the disk',
    applies: (installation) => writesDisk(installation) && !installation.settings.skipsDiskCleanup,
    run: cleanDisk,
  },
  { name: 'start the bootstrap control plane', applies: isMultiNodeBootstrap, run: startBootstrap },
  {
    name: 'report the installation',
    run: (installation, signal) => reportStage(installation, 'Installing', installation.settings.role, signal),
  },
  { name: 'bootstrap in place', applies: isSingleNode, run: bootstrapInPlace },
  { name: 'fetch the ignition', applies: (installation) => !isSingleNode(installation), run: fetchHostIgnition },
  { name: 'write the disk', applies: writesDisk, run: writeDisk },
  {
    name: 'install on the existing root',
    applies: (installation) => !writesDisk(installation),
    run: installOnExistingRoot,
  },
  { name: 'wait for the control plane', applies: isWorker, run: waitForControlPlane },
  {
    name: 'write the operating system of the release',
    applies: (installation) => writesDisk(installation) && installation.settings.skipsMcoReboot,
    run: skipMcoReboot,
  },
  { name: 'set the boot order', applies: writesDisk, run: setBootOrder },
  {
    name: 'copy the registry data',
    applies: async (installation) =>
      writesDisk(installation) && !isWorker(installation) && (await hasRegistryData(installation)),
    run: copyRegistryData,
  },
  { name: 'follow the bootstrap', applies: isMultiNodeBootstrap, run: followBootstrap },
  { name: 'send the logs', run: sendLogs },
  { name: 'reboot', run: finish },
];

/** The installation failed, and the stage Failed was reported to the service. */
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
      await runPhase(phase, installation, signal);
    }
  } finally {
    stop();
    signal.removeEventListener('abort', stop);
  }
}

async function runPhase(phase: Phase, installation: Installation, signal: AbortSignal): Promise<void> {
  try {
    if (phase.applies && !(await phase.applies(installation))) return;
    installation.observe?.({ type: 'phase', phase: phase.name });
    await phase.run(installation, signal);
  } catch (error) {
    if (signal.aborted) return;
    const reason = reasonOf(error);
    await reportStage(installation, 'Failed', reason, signal);
    throw new InstallationFailed(phase.name, reason);
  }
}

/** Returns cause and remedy, followed by the output of the program, or by the error of a file that was not written. */
function reasonOf(error: unknown): string {
  const text = errorMessage(error);
  const isExplained = error instanceof CommandFailed || errorCode(error) === 'ENOSPC';
  const explanation = isExplained ? explainFailure(text) : undefined;
  return explanation ? `${explanation} ${text}` : text;
}
