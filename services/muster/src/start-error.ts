import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { DamagedEvent, DatabaseUnusable, WriterThreadEnded } from '@muster/adapter-sqlite';
import { type Unavailable, unavailableIn } from '@muster/ports';
import { isFullDisk, SettingError, type SettingName, SettingsError, type SettingsReader } from '@muster/nest-kit';
import { errorCode, errorMessage, isKeyOf, urlHost } from '@muster/schema';

/** Exit codes of the program. `deploy/README.md` documents them for supervisors. */
export const EXIT_CODES = {
  stopped: 0,
  /**
   * A defect: an unexpected error, or the end of a thread: of one that writes to the SQLite files, or of a service. Also a damaged row
   * of the saved state, and read models that were replaced by earlier ones.
   */
  failed: 1,
  /** A setting is missing or not valid, or the command line is wrong. A restart does not help. */
  settings: 2,
  /** The data directory is locked, not writable, or does not match the master key or the event store, or a row of the event store is damaged. */
  dataDirectory: 3,
  /** The address of an endpoint is in use or not available. */
  endpoint: 4,
  /** The event store, the bus, MongoDB or S3 refuses the connection, DNS does not answer, or xorriso is missing or fails. */
  dependency: 5,
} as const;

export type ExitReason = keyof typeof EXIT_CODES;

/** A start that cannot succeed until something outside of the program changes. The message contains the remedy. */
export class StartError extends Error {
  constructor(
    readonly reason: ExitReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'StartError';
  }
}

const RETRY_MS = 500;
const REPORT_MS = 10_000;
/** The form of an address in an error contains `<secret>` and no password. */
const PASSWORD_IN_URL = /(\/\/[^/\s:@]*):(?!<secret>@)[^/\s@]+@/g;
/** An address without a host: the clients take its password for the port. */
const PASSWORD_AS_PORT = /((?:\b\w+:\/\/|\bUnable to parse )[^\s:@/[\]]+):(?!\d+\b|\*{3}@)[^\s)]+/g;

/**
 * Error codes and names that mean that no server answers at the address yet. All other errors end the start immediately.
 */
const NOT_REACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'CONNECTION_REFUSED',
  'TIMEOUT',
  'UnavailableError',
  'DiscoveryError',
  'MongoServerSelectionError',
]);

/** The setting with the address of a server, by the kind in its name in `Unavailable`. */
const SETTINGS_OF_SERVERS = {
  EventStoreDB: 'EVENTSTORE_URL',
  MongoDB: 'MONGODB_URL',
  S3: 'MINIO_URL',
} as const satisfies { readonly [server: string]: SettingName };

const SQLITE = /^SQLITE_/;

function settingOf({ server }: Unavailable): SettingName | undefined {
  const [kind = ''] = server.split(' ');
  return isKeyOf(SETTINGS_OF_SERVERS, kind) ? SETTINGS_OF_SERVERS[kind] : undefined;
}

export interface ReachOptions {
  /** The setting with the address, which errors name. @default that of the server which is not available */
  readonly setting?: SettingName;
  /** How long to wait for a server that is not reachable, in milliseconds. */
  readonly waitMs: number;
  readonly report: (text: string) => void;
}

/**
 * Opens a connection, or reads what the start requires. Repeats it for a server that is not reachable until `waitMs` has passed, with a
 * log line every 10 s.
 * @throws StartError `dependency` with the setting and the reason, immediately when the server refuses the connection; `settings` when
 * the address cannot be read
 */
export async function reach<Opened>(open: () => Promise<Opened>, options: ReachOptions): Promise<Opened> {
  const { waitMs, report } = options;
  const startedMs = performance.now();
  let reportedMs = startedMs - REPORT_MS;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (error instanceof DatabaseUnusable) throw new StartError('dataDirectory', error.message, { cause: error });
      // Without the setting of the server, a file, a directory or a database is used.
      const code = errorCode(error) ?? '';
      const isOfFile = SQLITE.test(code) || (typeof error === 'object' && error !== null && 'path' in error);
      if (isOfFile && fileRemedy(error, code)) throw error;
      const [nowMs, reason] = [performance.now(), reasonOf(error)];
      const unavailable = unavailableIn(error);
      const setting = options.setting ?? (unavailable && settingOf(unavailable));
      if (setting === undefined) throw error;
      if (reason === BAD_ESCAPE) throw new StartError('settings', badEscapeText(setting), { cause: error });
      if (!unavailable && isMalformed(error, reason))
        throw new StartError('settings', `The address in ${setting} cannot be used: ${reason}. Correct ${setting}.`, {
          cause: error,
        });
      if (unavailable ? unavailable.isRefused : !isNotReachable(error))
        throw new StartError(
          'dependency',
          `The server of ${setting} refuses the connection: ${reason}. Check the address and the credentials.`,
          { cause: error },
        );
      if (nowMs - startedMs >= waitMs) {
        const text = `The server of ${setting} was not reachable for ${Math.round(waitMs / 1_000)} s: ${reason}. Start it, or correct ${setting}.`;
        throw new StartError('dependency', text, { cause: error });
      }
      if (nowMs - reportedMs >= REPORT_MS) {
        report(`waiting for the server of ${setting}: ${reason}`);
        reportedMs = nowMs;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** The text of decodeURIComponent, which the clients use for the credentials in an address. */
const BAD_ESCAPE = 'URI malformed';
const badEscapeText = (setting: SettingName): string =>
  `The address in ${setting} has a "%" that starts no escape such as %40. Write a "%" in the user name or password as %25.`;

/** Errors that the clients throw before they connect, by name or by text. */
const MALFORMED_NAMES: ReadonlySet<string> = new Set(['MongoParseError', 'MongoAPIError', 'InvalidBucketNameError']);
const MALFORMED =
  /^Unexpected text at position \d|^Unable to parse .* with URL$|is not of the form|more than one "@"|^Failed to load certificate file|\((?:TypeError: )?Invalid URL\)/;

const isMalformed = (error: unknown, reason: string): boolean =>
  MALFORMED.test(reason) || (error instanceof Error && MALFORMED_NAMES.has(error.name));

/** Some clients wrap the network error, so the chain of causes is examined. */
function isNotReachable(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = 'code' in current ? String(current.code) : '';
    if (NOT_REACHABLE.has(code) || NOT_REACHABLE.has(current.name) || /ECONNREFUSED|ENOTFOUND/.test(current.message))
      return true;
  }
  return false;
}

/** Returns the first line of the message, without its full stop and the password of a URL. */
function reasonOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message || error.name : String(error)).split('\n', 1);
  return line.replace(PASSWORD_IN_URL, '$1:***@').replace(PASSWORD_AS_PORT, '$1:***').replace(/\.$/, '');
}

const LISTENING = '0A';

/**
 * Returns the process that listens on a TCP port of this machine, such as `process 4711 (nginx)`; undefined when it
 * cannot be determined.
 */
export function holderOfPort(port: number): string | undefined {
  const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => listeningInodes(file, port)));
  if (inodes.size === 0) return undefined;
  for (const pid of entriesOf('/proc').filter((name) => /^\d+$/.test(name)))
    for (const descriptor of entriesOf(`/proc/${pid}/fd`)) {
      const inode = /^socket:\[(\d+)\]$/.exec(targetOf(`/proc/${pid}/fd/${descriptor}`))?.[1];
      if (inode && inodes.has(inode)) return `process ${pid} (${textOf(`/proc/${pid}/comm`).trim()})`;
    }
  return undefined;
}

/** Columns of /proc/net/tcp: number, local address:port in hexadecimal, remote address, state, …, inode as the tenth. */
function listeningInodes(file: string, port: number): readonly string[] {
  const hexadecimal = port.toString(16).toUpperCase().padStart(4, '0');
  return textOf(file)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => local.endsWith(`:${hexadecimal}`) && state === LISTENING)
    .flatMap((columns) => columns[9] ?? []);
}

const quietly = <Value>(read: () => Value, otherwise: Value): Value => {
  try {
    return read();
  } catch {
    return otherwise;
  }
};
const entriesOf = (directory: string): readonly string[] => quietly(() => readdirSync(directory), []);
const targetOf = (link: string): string => quietly(() => readlinkSync(link), '');
const textOf = (file: string): string => quietly(() => readFileSync(file, 'utf8'), '');

const PORTS = ['REST_PORT', 'IMAGE_PORT', 'HTTP_LISTEN_PORT', 'NATS_PORT'] as const satisfies readonly SettingName[];
const HOSTS = ['REST_HOST', 'IMAGE_HOST', 'NATS_HOST'] as const satisfies readonly SettingName[];
const HOST_OF = {
  REST_PORT: 'REST_HOST',
  IMAGE_PORT: 'IMAGE_HOST',
  HTTP_LISTEN_PORT: 'IMAGE_HOST',
  NATS_PORT: 'NATS_HOST',
} as const;
/** Codes of an address that does not belong to this machine, and of a name without an address. */
const NOT_LOCAL: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN']);

/** Returns why a start failed: the exit code and the lines to print. The last line contains the remedy. */
export function describeFailure(
  error: unknown,
  settings: SettingsReader,
): { readonly reason: ExitReason; readonly lines: readonly string[] } {
  if (error instanceof StartError) return { reason: error.reason, lines: [error.message] };
  if (error instanceof SettingError || error instanceof SettingsError) {
    const problems = error.message.split('\n');
    const last =
      problems.length > 1 ? [`${problems.length} settings are not usable: correct all of them and start again.`] : [];
    return { reason: 'settings', lines: [...problems, ...last] };
  }
  if (error instanceof DamagedEvent || error instanceof DatabaseUnusable)
    return { reason: 'dataDirectory', lines: [error.message] };
  const { code = '', port, address = '' } = error instanceof Error ? networkError(error) : {};
  const host = hostOf(code, address, port, settings);
  if (host && code === 'EAI_AGAIN') {
    const text = `The name ${address} (${host}) could not be resolved, because DNS did not answer. Check the DNS servers of this machine, and start again.`;
    return { reason: 'dependency', lines: [text] };
  }
  if (host)
    return {
      reason: host === 'NATS_HOST' ? 'dependency' : 'endpoint',
      lines: [`The address ${address} (${host}) is not an address of this machine. Change ${host}.`],
    };
  if (port !== undefined && (code === 'EADDRINUSE' || code === 'EACCES'))
    return { reason: 'endpoint', lines: [endpointText(code, address, port, settings)] };
  const unavailable = unavailableIn(error);
  if (unavailable && !(unavailable instanceof WriterThreadEnded)) {
    const setting = settingOf(unavailable) ?? 'the setting with its address';
    const text = `${unavailable.message}. Start it, or correct ${setting}, and try again.`;
    return { reason: 'dependency', lines: [text] };
  }
  const failure = fileFailure(error);
  if (failure) return { reason: 'dataDirectory', lines: [failure] };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const last = errorMessage(error);
  return {
    reason: 'failed',
    lines: [text, `unexpected error at start: ${last}. This is a defect; report it with the lines above.`],
  };
}

/** Returns the text about a file that the start could not use; undefined for other errors and those whose message has the remedy. */
export function fileFailure(error: unknown): string | undefined {
  const remedy = error instanceof DatabaseUnusable ? undefined : fileRemedy(error, errorCode(error) ?? '');
  return remedy && `A file cannot be used: ${errorMessage(error)}. ${remedy}`;
}

/** Returns what to do about a file that the start could not use; undefined for other errors. */
function fileRemedy(error: unknown, code: string): string | undefined {
  if (isFullDisk(error)) return 'Free disk space, and start again.';
  if (typeof error !== 'object' || error === null || !('path' in error)) return undefined;
  const isNotCreated = ['ENOENT', 'EEXIST'].includes(code) && 'syscall' in error && error.syscall === 'mkdir';
  if (code === 'ENOTDIR' || isNotCreated) return 'Correct the setting with this path, and start again.';
  if (code === 'EISDIR') return 'Move this directory away, and start again.';
  return ['EACCES', 'EPERM', 'EROFS'].includes(code) ? 'Change its owner or permissions, and start again.' : undefined;
}

const networkError = (error: Error): { readonly code?: string; readonly port?: number; readonly address?: string } => ({
  ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
  ...('port' in error && typeof error.port === 'number' ? { port: error.port } : {}),
  ...('address' in error && typeof error.address === 'string' ? { address: error.address } : {}),
  ...('hostname' in error && typeof error.hostname === 'string' ? { address: error.hostname } : {}),
});

/** Returns the setting with an address on which this machine cannot listen; undefined for other errors. */
function hostOf(
  code: string,
  address: string,
  port: number | undefined,
  settings: SettingsReader,
): (typeof HOSTS)[number] | undefined {
  if (!NOT_LOCAL.has(code)) return undefined;
  const named = HOSTS.find((one) => settings.get(one) === address);
  if (named || code !== 'EADDRNOTAVAIL') return named;
  // The address of a host name. An error about a port that the system selects contains no port.
  const name = PORTS.find((one) => settings.get(one) === port);
  return name && HOST_OF[name];
}

function endpointText(code: string, address: string, port: number, settings: SettingsReader): string {
  const [setting = 'the setting of the port', other] = PORTS.filter((one) => settings.get(one) === port);
  const where = `${urlHost(address)}:${port}`;
  if (code === 'EACCES')
    return `The process may not listen on ${where} (${setting}): ports below 1024 need a permission. Change ${setting}.`;
  // With one port for two endpoints, the first one of this process holds it.
  const remedy = other ? `${other} is the same port: change one of the two.` : `Stop it, or change ${setting}.`;
  return `The address ${where} (${setting}) is in use by ${holderOfPort(port) ?? 'another process'}. ${remedy}`;
}
