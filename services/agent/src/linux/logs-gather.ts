import { createServiceApi, hostLogArchive, INSTALLER_RETRIES, realTimer, type ServiceAccess } from '@muster/host-api';
import type { LogsRequest } from '../steps/step-work';
import { ProgramMissing, type RunCommand } from './command';

const SOURCE_TIMEOUT_MS = 5 * 60_000;
const LSBLK_COLUMNS = 'NAME,MAJ:MIN,SIZE,TYPE,FSTYPE,KNAME,MODEL,UUID,WWN,HCTL,VENDOR,STATE,TRAN,PKNAME';
const journal = (...filters: string[]): readonly string[] => [
  'journalctl',
  '-D',
  '/var/log/journal/',
  '--all',
  ...filters,
];

/** A file of the bundle and the commands whose output it contains. */
interface LogSource {
  readonly file: string;
  readonly commands: readonly (readonly string[])[];
  readonly isForBootstrap?: boolean;
}

const SOURCES: readonly LogSource[] = [
  {
    file: 'mount.logs',
    commands: [
      ['lsblk', '-o', LSBLK_COLUMNS],
      ['findmnt', '--df'],
      ['ls', '-l', '/dev/disk/by-id'],
      ['ls', '-l', '/dev/disk/by-path'],
      ['pvdisplay', '-v'],
      ['vgdisplay', '-v'],
      ['lvdisplay', '-v'],
    ],
  },
  { file: 'agent.logs', commands: [journal('--unit', 'agent.service')] },
  { file: 'installer.logs', commands: [journal('--unit', 'muster-installer.service'), journal('TAG=installer')] },
  { file: 'ironic-agent.logs', commands: [journal('--unit', 'ironic-agent.service')] },
  { file: 'dmesg.logs', commands: [['dmesg', '-T']] },
  { file: 'bootkube.logs', commands: [journal('--unit', 'bootkube.service')], isForBootstrap: true },
  {
    file: 'journal.logs',
    commands: [journal('--unit', 'release-image.service', '--unit', 'kubelet.service', '--unit', 'crio.service')],
    isForBootstrap: true,
  },
];

/** Collects the logs of this machine and sends them. `report.logs` lists the failures. */
export async function gatherLogs(
  order: LogsRequest,
  access: ServiceAccess,
  run: RunCommand,
  signal: AbortSignal,
): Promise<void> {
  const api = createServiceApi(access, INSTALLER_RETRIES, realTimer);
  try {
    await api.reportHostLogs(order, 'collecting', signal);
    const files = await collect(order.isBootstrap, run, signal);
    await api.uploadHostLogs(order.clusterId, order, hostLogArchive(order.hostId, files), signal);
    await api.reportHostLogs(order, 'completed', signal);
  } finally {
    api.close();
  }
}

/** Returns the text of each file by name. */
export async function collect(
  isBootstrap: boolean,
  run: RunCommand,
  signal: AbortSignal,
): Promise<{ readonly [file: string]: string }> {
  const files: Record<string, string> = {};
  const failures: string[] = [];
  for (const { file, commands, isForBootstrap } of SOURCES) {
    if (isForBootstrap && !isBootstrap) continue;
    const texts: string[] = [];
    for (const [program = '', ...args] of commands) {
      const line = [program, ...args].join(' ');
      try {
        const settings = { timeoutMs: SOURCE_TIMEOUT_MS, keepsEnd: true };
        const { exitCode, isCut, stderr = '', stdout } = await run(program, args, signal, settings);
        texts.push(commands.length > 1 ? `$ ${line}\n${stdout}` : stdout);
        if (exitCode !== 0 || isCut)
          failures.push(`${file}: "${line}" ended with exit code ${exitCode}: ${stderr.trim()}`);
      } catch (error) {
        if (!(error instanceof ProgramMissing)) throw error;
        failures.push(`${file}: ${error.message}`);
      }
    }
    files[file] = texts.join('\n');
  }
  return failures.length > 0 ? { ...files, 'report.logs': `${failures.join('\n')}\n` } : files;
}
