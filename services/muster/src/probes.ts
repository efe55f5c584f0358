import { randomUUID } from 'node:crypto';
import { access, constants, mkdtemp, rmdir, stat, statfs } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createSendHttp } from '@muster/host-api';
import { type Environment, type Probe, DISK_PROBE } from '@muster/nest-kit';
import {
  AppendTooLarge,
  type EventStore,
  type Requests,
  RequestTimedOut,
  settleWithin,
  unavailableIn,
} from '@muster/ports';
import { errorCode, errorMessage, urlHost } from '@muster/schema';
import { locationOfImage, readImageConfig } from '@muster/service-image';
import { type Outage, PROBE_TIMEOUT_MS } from './outages';

const MIBIBYTE = 1024 ** 2;

/** Checks a round trip through the bus: this process answers its own request. `outage` tracks the connection. */
export function busProbe(requests: Requests, outage?: Pick<Outage, 'reason'>): Probe {
  const subject = `muster.v1.probe.${randomUUID()}`;
  requests.subscribe(subject, () => Promise.resolve({}));
  return {
    part: 'bus',
    check: async () =>
      outage?.reason ??
      requests.request(subject, {}, {}, PROBE_TIMEOUT_MS).then(
        () => undefined,
        (error: unknown) => outage?.reason ?? `the bus (NATS_URL) does not answer: ${reasonOf(error)}`,
      ),
  };
}

const NO_ANSWER = `no answer within ${PROBE_TIMEOUT_MS / 1_000} s`;

/** The text of a request that timed out names its subject, which users do not know. */
const reasonOf = (error: unknown): string => (error instanceof RequestTimedOut ? NO_ANSWER : errorMessage(error));

/**
 * Returns a store that records whether its last append failed, and the probe that reports it and reads the head.
 * `outage` tracks the availability of the server.
 */
export function storeProbe(
  eventStore: EventStore,
  outage?: Pick<Outage, 'reason'>,
): { readonly store: EventStore; readonly probe: Probe } {
  let lastFailure: string | undefined;
  const store: EventStore = {
    ...eventStore,
    append: async (streamId, expected, events) => {
      try {
        const result = await eventStore.append(streamId, expected, events);
        lastFailure = undefined;
        return result;
      } catch (error) {
        // The store works. Only this request is too large for it.
        if (error instanceof AppendTooLarge) throw error;
        // The failure of an append during an outage is not kept after the outage.
        lastFailure = unavailableIn(error) ? undefined : errorMessage(error);
        throw error;
      }
    },
  };
  const check = async (): Promise<string | undefined> => {
    if (lastFailure) return `the last append failed: ${lastFailure}`;
    if (outage?.reason) return outage.reason;
    const late = (): Error => new Error(NO_ANSWER);
    return settleWithin(PROBE_TIMEOUT_MS, eventStore.head(), late).then(
      () => undefined,
      (error: unknown) => `the event store does not answer: ${errorMessage(error)}`,
    );
  };
  return { store, probe: { part: 'event store', check } };
}

/** Fails when the free space of the data directory is below the reserve for the event store. */
export const diskProbe = (directory: string, reserveBytes: number): Probe => ({
  part: DISK_PROBE,
  check: async () => {
    const space = await statfs(directory).catch((error: unknown) => errorMessage(error));
    // Such as a file system of the network that does not answer any more.
    if (typeof space === 'string') return `the disk of ${directory} cannot be examined: ${space}`;
    const freeBytes = space.bavail * space.bsize;
    return freeBytes < reserveBytes
      ? `the disk of ${directory} has ${Math.floor(freeBytes / MIBIBYTE)} MiB left, less than the reserve of ${Math.floor(reserveBytes / MIBIBYTE)} MiB (MUSTER_DISK_RESERVE)`
      : undefined;
  },
});

/** The machine and the network that the checks examine. Tests replace it. */
export interface Surroundings {
  readonly nowMs: number;
  /** Addresses of this machine that other machines can use, as in a URL. */
  readonly addresses: readonly string[];
  freeBytes(directory: string): Promise<number>;
  hasProgram(name: string): Promise<boolean>;
  canExecute(path: string): Promise<boolean>;
  /** Whether the path is a directory to which this process can write, or can become one. */
  canWrite(path: string): Promise<boolean>;
  /** Returns undefined when the server answers, or the file can be read, otherwise the reason why not. */
  failureOf(url: string): Promise<string | undefined>;
}

const ANSWER_MAX_MS = 5_000;

/** A directory may be executable too. */
const canExecute = async (path: string): Promise<boolean> =>
  access(path, constants.X_OK)
    .then(() => stat(path))
    .then(
      (found) => found.isFile(),
      () => false,
    );

async function canWrite(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => errorCode(error));
  if (found === 'ENOENT') return dirname(resolve(path)) !== resolve(path) && canWrite(dirname(resolve(path)));
  if (typeof found !== 'object' || !found.isDirectory()) return false;
  // Root may write to each directory, but the system creates no files in some, as in /proc.
  return mkdtemp(join(path, '.muster-write-probe-'))
    .then(rmdir)
    .then(
      () => true,
      () => false,
    );
}

/** Returns the addresses that other machines can use in the form of a URL, those of IPv4 first. */
export function reachableAddresses(interfaces: ReturnType<typeof networkInterfaces>): readonly string[] {
  const entries = Object.values(interfaces)
    .flatMap((all) => all ?? [])
    // An address with a scope id is valid on one link only.
    .filter((entry) => !entry.internal && !(entry.family === 'IPv6' && entry.scopeid > 0));
  const of = (family: 'IPv4' | 'IPv6') => entries.filter((entry) => entry.family === family);
  return [...of('IPv4'), ...of('IPv6')].map(({ address }) => urlHost(address));
}

/** This machine and its network. */
export function realSurroundings(environment: Environment): Surroundings {
  const path = `${environment['PATH'] ?? ''}${delimiter}/usr/sbin${delimiter}/usr/local/sbin`;
  return {
    nowMs: Date.now(),
    addresses: reachableAddresses(networkInterfaces()),
    freeBytes,
    hasProgram: async (name) => {
      const places = path.split(delimiter).filter((folder) => folder !== '');
      return (await Promise.all(places.map((folder) => canExecute(join(folder, name))))).includes(true);
    },
    canExecute,
    canWrite,
    failureOf: (url) => failureOf(url, environment),
  };
}

/** Returns the free space for files of the directory, which may not exist yet. */
async function freeBytes(directory: string): Promise<number> {
  const path = resolve(directory);
  const space = await statfs(path).catch((error: Error) => {
    if (dirname(path) === path) throw error;
  });
  return space ? space.bavail * space.bsize : freeBytes(dirname(path));
}

/** Connects as the download of a base image does. A server is reached when it sends any answer. */
async function failureOf(url: string, environment: Environment): Promise<string | undefined> {
  const { imageDirectory, remote } = readImageConfig(environment);
  const { send, close } = createSendHttp({ caPem: remote.trustedCa, proxy: remote.proxy });
  try {
    const location = locationOfImage(url, imageDirectory);
    if (location.kind === 'file') await access(location.path, constants.R_OK);
    else await send({ method: 'HEAD', url, headers: {} }, AbortSignal.timeout(ANSWER_MAX_MS));
    return undefined;
  } catch (error) {
    return errorMessage(error).replace(/\.$/, '');
  } finally {
    close();
  }
}
