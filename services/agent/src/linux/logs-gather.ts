import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createServiceApi,
  hostLogArchive,
  INSTALLER_RETRIES,
  LOG_BUNDLE_BYTES_MAX,
  realTimer,
  type ServiceAccess,
} from '@muster/host-api';
import { errorMessage } from '@muster/schema';
import type { LogsRequest } from '../steps/step-work';
import { ProgramMissing, type RunCommand } from './command';

const SOURCE_TIMEOUT_MS = 5 * 60_000;
/** These programs end in seconds, except when a disk does not answer. The installer waits 15 minutes for the logs. */
const DISK_TIMEOUT_MS = 60_000;
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
  /** Of each command. @default SOURCE_TIMEOUT_MS */
  readonly timeoutMs?: number;
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
    timeoutMs: DISK_TIMEOUT_MS,
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

/**
 * Collects the logs of this machine and sends them. `report.logs` lists the failures. A bootstrap host then sends them again,
 * with those of the control plane, because a host that does not answer delays these for minutes.
 */
export async function gatherLogs(
  order: LogsRequest,
  access: ServiceAccess,
  run: RunCommand,
  signal: AbortSignal,
): Promise<void> {
  const api = createServiceApi(access, INSTALLER_RETRIES, realTimer);
  try {
    await api.reportHostLogs(order, 'collecting', signal);
    try {
      const files = await collect(order.isBootstrap, run, signal);
      const send = async (more: LogFiles): Promise<void> => {
        const archive = await hostLogArchive(order.hostId, { ...files, ...more });
        await api.uploadHostLogs(order.clusterId, order, archive, signal);
      };
      await send({});
      if (order.isBootstrap && order.includesControlPlane) await send(await collectControlPlane(order, run, signal));
    } finally {
      // Otherwise the logs of the host stay in the state `collecting` after a refusal.
      await api.reportHostLogs(order, 'completed', signal);
    }
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
  for (const { file, commands, isForBootstrap, timeoutMs = SOURCE_TIMEOUT_MS } of SOURCES) {
    if (isForBootstrap && !isBootstrap) continue;
    const texts: string[] = [];
    for (const [program = '', ...args] of commands) {
      const line = [program, ...args].join(' ');
      try {
        const settings = { timeoutMs, keepsEnd: true };
        const { exitCode, isCut, stderr = '', stdout } = await run(program, args, signal, settings);
        texts.push(commands.length > 1 ? `$ ${line}\n${stdout}` : stdout);
        if (exitCode !== 0 || isCut)
          failures.push(`${file}: "${line}" ended with exit code ${exitCode}: ${stderr.trim()}`);
      } catch (error) {
        const isMissing = error instanceof ProgramMissing;
        failures.push(`${file}: ${isMissing ? '' : `"${line}" did not start: `}${errorMessage(error)}`);
      }
    }
    files[file] = texts.join('\n');
  }
  return failures.length > 0 ? { ...files, 'report.logs': `${failures.join('\n')}\n` } : files;
}

type LogFiles = { readonly [file: string]: string | Buffer };

/** The Ignition config of the bootstrap host contains this program. */
const CONTROL_PLANE_PROGRAM = '/usr/local/bin/installer-gather.sh';
const CONTROL_PLANE_TIMEOUT_MS = 30 * 60_000;

/** Collects the logs of the temporary control plane, and over SSH those of the hosts at the addresses. */
async function collectControlPlane(order: LogsRequest, run: RunCommand, signal: AbortSignal): Promise<LogFiles> {
  const id = new Date().toISOString().replace(/\D/g, '').slice(0, 'YYYYMMDDhhmmss'.length);
  const name = `log-bundle-${id}.tar.gz`;
  const folder = await mkdtemp(join(tmpdir(), 'control-plane-logs-'));
  try {
    const settings = {
      timeoutMs: CONTROL_PLANE_TIMEOUT_MS,
      keepsEnd: true,
      environment: { HOME: '/root', TAR_FILE: join(folder, name) },
    };
    const args = ['--id', id, ...order.controlPlaneAddresses];
    const output = await run(CONTROL_PLANE_PROGRAM, args, signal, settings).then(
      ({ stderr = '', stdout }) => stdout + stderr,
      errorMessage,
    );
    const { size } = await stat(join(folder, name)).catch(() => ({ size: 0 }));
    // The service would refuse all files, and the live system would hold a larger bundle in memory several times.
    if (size > LOG_BUNDLE_BYTES_MAX)
      return { 'installer-gather.logs': `${output}\nThe bundle has ${size} bytes, which is too large to be sent.\n` };
    const bundle = await readFile(join(folder, name)).catch(() => undefined);
    return { 'installer-gather.logs': output, ...(bundle && { [name]: bundle }) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
