import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import {
  type BusTlsFiles,
  loadOrCreateNatsTrust,
  makeBusCertificate,
  mintServiceCredentials,
  natsServerConfig,
  type NatsTrust,
} from '@muster/adapter-nats';
import { errorCode, errorMessage, urlHost } from '@muster/schema';
import { type ExitReason, holderOfPort, StartError } from './start-error';

const START_TIMEOUT_MS = 10_000;
const RETRY_MS = 20;
/** An address that drops packets does not answer at all. */
const CONNECT_TIMEOUT_MS = 1_000;
const RESTART_WAIT_MS = 250;
/** A child that does not end in this time, such as a stopped process, is killed. */
const STOP_TIMEOUT_MS = 1_000;
const PORT_FILE = 'port';
const CONFIG_FILE = 'nats-server.conf';
const PORT_MAX = 65_535;
/** All files of the bus. */
const FILES = /^(port|trust\.json|nats-server\.(conf|pid)|bus(-ca)?\.(pem|key))$/;
/** Exit code of a shell when the program does not exist. */
const NOT_FOUND = 127;
/** The process id and the time in front of each line of its log. */
const LOG_PREFIX = /^\[\d+\] \S+ \S+ /;
/** In the log of nats-server when it cannot use the files of its certificate. */
const CERTIFICATE_REFUSED = /X509|certificate/i;
/** In its log when it cannot write the file of its process id, which is its only one. */
const DISK_FULL = /no space left on device|quota exceeded/i;
const NOT_WRITABLE = /could not write pidfile/i;
/**
 * Runs nats-server in place of the shell, beside a process that kills nats-server when the pipe from Muster closes
 * without a line. So the bus also ends when Muster is killed.
 */
const RUN_WHILE_WATCHED = '{ read -r line <&3 || kill -KILL "$$"; } 2>/dev/null & exec nats-server "$@" 3<&-';

export interface NatsProcess {
  readonly url: string;
  readonly trust: NatsTrust;
  readonly trustFile: string;
  /** The certificate authority of the bus. Undefined: connections without TLS. */
  readonly caFile: string | undefined;
  /** Text of a credentials file with all permissions. */
  readonly serviceCredentials: string;
  stop(): Promise<void>;
}

/**
 * Starts a `nats-server` child process that admits only credentials of this installation. It is restarted when it ends.
 * It stores no data, so none is lost.
 * @throws StartError `dependency` when it cannot be started or its address is not available, `settings` when it cannot use the given
 * certificate, `dataDirectory` when its keys are damaged or the disk is full
 */
export async function startNats(options: {
  readonly directory: string;
  readonly host: string;
  /** 0: the port of the last start if it is free, otherwise any free port. */
  readonly port: number;
  /** Ports of the other endpoints of this process, which open later. None of them is selected for port 0. */
  readonly otherPorts?: readonly number[];
  /** `own`: create a certificate for these names. Undefined: connections without TLS. */
  readonly tls?: BusTlsFiles | { readonly own: readonly string[] };
  readonly onExit: (text: string) => void;
}): Promise<NatsProcess> {
  const { directory, host, otherPorts = [] } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await refuseDirectories(directory);
  await stopLeftOver(directory);
  const trustFile = join(directory, 'trust.json');
  const trust = await loadOrCreateNatsTrust(trustFile).catch(refuseFile);
  const last = await lastPort(directory, host);
  const kept = last && !otherPorts.includes(last) ? last : undefined;
  const port = options.port || kept || (await freePort(host, undefined, otherPorts));
  // Otherwise Muster would connect to the other server while the child process still fails.
  if (await accepts(host, port))
    throw new StartError(
      'dependency',
      `The address ${urlHost(host)}:${port} (NATS_PORT) is in use by ${holderOfPort(port) ?? 'another process'}. Stop it, or change NATS_PORT, or set NATS_URL.`,
    );
  await writeFile(join(directory, PORT_FILE), String(port), { mode: 0o600 });
  const [config, pidFile] = [join(directory, CONFIG_FILE), join(directory, 'nats-server.pid')];
  const nowMs = Date.now();
  const wanted = options.tls;
  const tls =
    wanted &&
    ('own' in wanted ? await makeBusCertificate(directory, { hosts: wanted.own, nowMs }).catch(refuseFile) : wanted);
  await writeFile(config, natsServerConfig(trust, { host, port, tls, nowMs }), { mode: 0o600 });

  let isWanted = true;
  let isListening = false;
  let [lastReason, startedAtMs] = ['', 0];
  let failStart: (error: StartError) => void = () => undefined;
  const startFailed = new Promise<never>((_, reject) => (failStart = reject));
  /** Undefined while no child process runs. */
  let child: ChildProcess | undefined = run();
  function run(): ChildProcess {
    startedAtMs = performance.now();
    const started = spawn('/bin/sh', ['-c', RUN_WHILE_WATCHED, 'nats-server', '-c', config, '-P', pidFile], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      // It gets none of the settings of Muster, some of which are secret.
      env: { PATH: `${process.env.PATH ?? ''}:/usr/sbin:/usr/local/sbin` },
      // It has a process group of its own, so that Ctrl-C reaches only Muster, which stops the bus last.
      detached: true,
    });
    let log = '';
    started.stderr?.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-2_048)));
    started.once('error', (error) => {
      const check = errorCode(error) === 'ENOENT' ? 'that /bin/sh exists' : 'the limits of open files and processes';
      ended(started, `nats-server cannot be started: ${error.message}. Check ${check}, or set NATS_URL.`);
    });
    // A child that could not be started for lack of file descriptors has no streams, unlike its type. Its error follows.
    const streams: ChildProcess['stdio'] | undefined = started.stdio;
    const watch = streams?.[3];
    watch?.on('error', () => undefined);
    started.once('exit', (code) => {
      if (watch instanceof Writable) watch.end('ended\n');
      const reason = (log.trim().split('\n').at(-1) ?? '').replace(LOG_PREFIX, '');
      if (code === NOT_FOUND)
        ended(started, 'nats-server is not installed. Install the package nats-server, or set NATS_URL.');
      else if (isListening) ended(started, `nats-server ended with code ${code}: ${reason}`);
      else if (wanted && !('own' in wanted) && CERTIFICATE_REFUSED.test(reason))
        ended(
          started,
          `nats-server cannot use its certificate: ${reason}. Correct NATS_CERT_FILE and NATS_KEY_FILE, or unset them and NATS_CA_FILE for a certificate that Muster makes.`,
          'settings',
        );
      else {
        const [remedy, exitReason] = DISK_FULL.test(reason)
          ? (['Free disk space, and start again.', 'dataDirectory'] as const)
          : NOT_WRITABLE.test(reason)
            ? (['Change its owner or permissions, and start again.', 'dataDirectory'] as const)
            : (['Change NATS_HOST or NATS_PORT, or set NATS_URL.', 'dependency'] as const);
        ended(started, `nats-server ended with code ${code}: ${reason}. ${remedy}`, exitReason);
      }
    });
    return started;
  }
  /** The first start fails. Later, also a start that fails is repeated, because the cause may pass. */
  function ended(one: ChildProcess, reason: string, exitReason: ExitReason = 'dependency'): void {
    if (one !== child) return;
    child = undefined;
    if (!isWanted) return;
    if (!isListening) return failStart(new StartError(exitReason, reason));
    // A start that fails is repeated four times a second, and its cause may last for days.
    const isRepeated = reason === lastReason && performance.now() - startedAtMs < START_TIMEOUT_MS;
    if (!isRepeated) options.onExit(`${reason.replace(/\.$/, '')}. It is started again.`);
    lastReason = reason;
    setTimeout(() => isWanted && (child = run()), RESTART_WAIT_MS);
  }
  const killAtExit = (): void => void child?.kill('SIGKILL');
  process.once('exit', killAtExit);
  await Promise.race([untilListening(host, port, () => child !== undefined), startFailed]);
  isListening = true;

  return {
    url: `nats://${urlHost(host)}:${port}`,
    trust,
    trustFile,
    caFile: tls?.caFile,
    serviceCredentials: mintServiceCredentials(trust, { name: 'services', nowMs: Date.now() }),
    stop: async () => {
      isWanted = false;
      process.removeListener('exit', killAtExit);
      const last = child;
      if (!last) return;
      const end = new Promise((resolve) => last.once('exit', resolve));
      last.kill('SIGTERM');
      const timeout = setTimeout(() => last.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await end;
      clearTimeout(timeout);
      await rm(join(directory, 'nats-server.pid'), { force: true });
    },
  };
}

/** An error without a code is about the content of a file. @throws StartError `dataDirectory`, or the error of the system */
function refuseFile(error: unknown): never {
  throw errorCode(error) ? error : new StartError('dataDirectory', errorMessage(error), { cause: error });
}

/** The error of the system for a directory does not contain its path. @throws StartError `dataDirectory` */
async function refuseDirectories(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true }))
    if (entry.isDirectory() && FILES.test(entry.name))
      throw new StartError(
        'dataDirectory',
        `${join(directory, entry.name)} is a directory and must be a file. Move it away, and start again.`,
      );
}

/**
 * Boot images contain the address of the bus. With another port they would change, and running agents would not find
 * the bus.
 */
async function lastPort(directory: string, host: string): Promise<number | undefined> {
  const port = Number(await readFile(join(directory, PORT_FILE), 'utf8').catch(() => ''));
  const isPort = Number.isInteger(port) && port > 0 && port <= PORT_MAX;
  return isPort && !(await accepts(host, port)) ? port : undefined;
}

/** Stops a bus that a killed Muster process left running. */
async function stopLeftOver(directory: string): Promise<void> {
  const pid = Number(await readFile(join(directory, 'nats-server.pid'), 'utf8').catch(() => ''));
  if (!pid) return;
  const [program, ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
  // The id may belong to the bus of another data directory by now, such as after a power failure.
  if (program !== 'nats-server' || !args.includes(join(directory, CONFIG_FILE))) return;
  process.kill(pid, 'SIGKILL');
  for (let waited = 0; waited < START_TIMEOUT_MS && (await isAlive(pid)); waited += RETRY_MS) await sleep(RETRY_MS);
}

async function isAlive(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return state !== '' && !/\) Z /.test(state);
}

/** The kernel gives the ports of this range to outgoing connections, and to programs that select none. */
const KERNEL_PORTS = '/proc/sys/net/ipv4/ip_local_port_range';
/** The ports from which a free one is selected. Those above belong to Kubernetes (NodePort) or to the kernel. */
const [FIRST_PORT, LAST_PORT] = [10_000, 29_999];
const PORT_TRIES = 100;

/**
 * Returns a port on which no program listens, and none of `otherPorts`. The kernel does not give it to another program before it is
 * used, or while Muster does not run.
 */
export async function freePort(
  host: string,
  kernelPorts?: readonly number[],
  otherPorts: readonly number[] = [],
): Promise<number> {
  const [firstOfKernel = 0] = kernelPorts ?? (await readKernelPorts());
  const count = Math.min(firstOfKernel - 1, LAST_PORT) - FIRST_PORT + 1;
  for (let tried = 0; count > 0 && tried < PORT_TRIES; tried += 1) {
    const port = FIRST_PORT + Math.floor(Math.random() * count);
    if (otherPorts.includes(port)) continue;
    const isFree = await listenOnce(host, port).catch((error: unknown) => {
      if (errorCode(error) !== 'EADDRINUSE') throw error;
      return undefined;
    });
    if (isFree) return port;
  }
  return listenOnce(host, 0);
}

/** Returns the first and the last port; nothing on other systems than Linux. */
async function readKernelPorts(): Promise<readonly number[]> {
  const text = await readFile(KERNEL_PORTS, 'utf8').catch(() => '');
  return text.trim().split(/\s+/).map(Number);
}

/** Returns the port; 0 selects one. @throws the error of the system when it is not free */
function listenOnce(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Returns also when nats-server has ended. */
async function untilListening(host: string, port: number, isRunning: () => boolean): Promise<void> {
  for (let waited = 0; waited < START_TIMEOUT_MS; waited += RETRY_MS) {
    if ((await accepts(host, port)) || !isRunning()) return;
    await sleep(RETRY_MS);
  }
  throw new StartError(
    'dependency',
    `nats-server does not listen on ${urlHost(host)}:${port} after ${START_TIMEOUT_MS / 1_000} s. Check NATS_HOST and NATS_PORT.`,
  );
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => {
      socket.destroy();
      resolve(true);
    });
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy());
    socket.once('error', () => undefined);
    // Without effect after a connection.
    socket.once('close', () => resolve(false));
  });
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
