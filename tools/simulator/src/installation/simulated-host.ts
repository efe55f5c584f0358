import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Host } from '@muster/service-installer';
import { machineConfigServerLog } from '../world/simulated-cluster-api';
import { PROGRAMS, type LiveSystem } from './live-programs';

const PROGRAM_MISSING_EXIT_CODE = 127;
const LOG_FOLDER = '/var/log/containers';
const LOG_NAME = 'machine-config-server.log';
/** Files of a real live system that the installer looks for. */
const PRESENT = ['/usr/bin/oc', '/mnt/EFI/redhat'];

/** The live system of a simulated machine as the installer sees it: files in a scratch folder, programs from a table. */
export function createSimulatedHost(system: LiveSystem): Host {
  const at = (path: string): string => join(system.root, path);
  const log = (): string => machineConfigServerLog(system.cluster, system.world);
  return {
    run: async (program, args, options, signal) => {
      const play = PROGRAMS.get(program.split('/').at(-1) ?? '');
      if (!play) return { exitCode: PROGRAM_MISSING_EXIT_CODE, stdout: '', stderr: `${program}: command not found` };
      try {
        const stdout = await play(system, args, options, signal);
        return { exitCode: 0, stdout: stdout ?? '', stderr: '' };
      } catch (error) {
        return { exitCode: 1, stdout: '', stderr: error instanceof Error ? error.message : String(error) };
      }
    },
    readFile: async (path) => {
      if (path === `${LOG_FOLDER}/${LOG_NAME}`) return Buffer.from(log());
      return existsSync(at(path)) ? readFileSync(at(path)) : undefined;
    },
    writeFile: async (path, content, mode = 0o600) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content, { mode });
    },
    exists: async (path) => {
      if (path.startsWith('/dev/')) return system.inventory().disks.some((disk) => disk.path === path);
      if (path === '/sys/firmware/efi') return system.inventory().boot?.current_boot_mode === 'uefi';
      return PRESENT.includes(path) || existsSync(at(path));
    },
    list: async (path) => {
      if (path === LOG_FOLDER) return log() === '' ? [] : [LOG_NAME];
      return existsSync(at(path)) ? readdirSync(at(path)).sort() : [];
    },
  };
}
