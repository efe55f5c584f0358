import type { SettingName } from '@muster/nest-kit';
import { EventStoreUnusable } from '@muster/adapter-sqlite';
import { StartError } from './start-error';

const RETRY_MS = 500;
const REPORT_MS = 10_000;
const PASSWORD_IN_URL = /(\/\/[^/\s:@]*):[^/\s@]+@/g;

/** Codes and names of errors that mean: no server answers at this address yet. Every other error ends the start at once. */
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

export interface ReachOptions {
  /** The setting with the address, which errors name. */
  readonly setting: SettingName;
  /** How long to wait for a server that is not reachable, in milliseconds. */
  readonly waitMs: number;
  readonly report: (text: string) => void;
}

/**
 * Opens a connection. A server that is not reachable is tried again until `waitMs` has passed, with a line of log every 10 s.
 * @throws StartError `dependency` with the setting and the reason, at once when the server refuses the connection
 */
export async function reach<Opened>(open: () => Promise<Opened>, options: ReachOptions): Promise<Opened> {
  const { setting, waitMs, report } = options;
  const startedMs = performance.now();
  let reportedMs = startedMs - REPORT_MS;
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (error instanceof EventStoreUnusable) throw new StartError('dataDirectory', error.message, { cause: error });
      const [nowMs, reason] = [performance.now(), reasonOf(error)];
      if (!isNotReachable(error))
        throw new StartError('dependency', `The server of ${setting} refuses the connection: ${reason}`, {
          cause: error,
        });
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

/** Some clients wrap the network error: the chain of causes decides. */
function isNotReachable(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    const code = 'code' in current ? String(current.code) : '';
    if (NOT_REACHABLE.has(code) || NOT_REACHABLE.has(current.name) || /ECONNREFUSED|ENOTFOUND/.test(current.message))
      return true;
  }
  return false;
}

/** The first line of the message; a password in a URL is never part of it. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return (text.split('\n', 1)[0] ?? '').replace(PASSWORD_IN_URL, '$1:***@');
}
