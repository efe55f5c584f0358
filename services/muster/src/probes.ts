import { randomUUID } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { type Probe, DISK_PROBE } from '@muster/nest-kit';
import { type EventStore, type Requests, settleWithin, unavailableIn } from '@muster/ports';
import { errorMessage } from '@muster/schema';
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
        (error: unknown) => outage?.reason ?? `the bus (NATS_URL) does not answer: ${errorMessage(error)}`,
      ),
  };
}

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
        // The failure of an append during an outage is not kept after the outage.
        lastFailure = unavailableIn(error) ? undefined : errorMessage(error);
        throw error;
      }
    },
  };
  const check = async (): Promise<string | undefined> => {
    if (lastFailure) return `the last append failed: ${lastFailure}`;
    if (outage?.reason) return outage.reason;
    const late = (): Error => new Error(`no answer within ${PROBE_TIMEOUT_MS / 1_000} s`);
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
    const { bavail, bsize } = await statfs(directory);
    const freeBytes = bavail * bsize;
    return freeBytes < reserveBytes
      ? `the disk of ${directory} has ${Math.floor(freeBytes / MIBIBYTE)} MiB left, less than the reserve of ${Math.floor(reserveBytes / MIBIBYTE)} MiB (MUSTER_DISK_RESERVE)`
      : undefined;
  },
});
