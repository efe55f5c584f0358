import { startBootstrap } from './bootstrap/start-bootstrap';
import { followBootstrap } from './bootstrap/follow-bootstrap';
import { bootstrapInPlace } from './bootstrap/bootstrap-in-place';
import { setBootOrder } from './disk/boot-order';
import { cleanDisk, formatDisks, resolveDevice } from './disk/clean-disk';
import { copyRegistryData, hasRegistryData } from './disk/copy-registry-data';
import { installOnExistingRoot } from './disk/existing-root';
import { skipMcoReboot } from './disk/skip-mco-reboot';
import { writeDisk } from './disk/write-disk';
import { finish } from './finish';
import { fetchHostIgnition } from './host-ignition';
import { type Installation, isMultiNodeBootstrap, isSingleNode, isWorker, reportStage } from './installation';
import { sendLogs } from './send-logs';
import { waitForControlPlane } from './wait-for-control-plane';

/** One step of an installation. The phases run in the order of the table; the first that throws ends the installation. */
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
